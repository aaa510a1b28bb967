// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.answer

import scala.collection.JavaConverters._

import com.google.protobuf.ByteString
import org.apache.arrow.memory.{ArrowBuf, BufferAllocator}
import org.apache.arrow.vector.ipc.{ArrowReader, ArrowStreamReader}
import org.apache.spark.sql.shadowvm.SparkAllocator
import org.shadowvm.node.NodeClient
import org.shadowvm.proto.v1.RunPipelineResponse

/** Turns the answer of a query's last pipeline, whichever way it comes, into Spark's columns. */
object AnswerReader {

  /**
   * Takes the answer over: files of it are gone from their folder when this returns. What fails, here or while
   * reading, is a [[org.shadowvm.node.NodeFailure]]. Close it in any case.
   */
  def batches(
      response: RunPipelineResponse,
      queryId: String,
      client: NodeClient,
      cancelled: () => Boolean): AnswerBatches = {
    val allocator = SparkAllocator.child(s"ShadowVM query $queryId")
    try new AnswerBatches(allocator, readers(response, queryId, client, cancelled, allocator))
    catch {
      case failure: Throwable =>
        allocator.close()
        throw failure
    }
  }

  private def readers(
      response: RunPipelineResponse,
      queryId: String,
      client: NodeClient,
      cancelled: () => Boolean,
      allocator: BufferAllocator): Seq[ArrowReader] =
    if (response.getSharedAnswerCount > 0)
      SharedFiles.take(response.getSharedAnswerList.asScala.toSeq, allocator).map(new MemoryReader(_, allocator))
    else if (!response.getInlineAnswer.isEmpty)
      Seq(new MemoryReader(copied(response.getInlineAnswer, allocator), allocator))
    else
      Seq(new ArrowStreamReader(client.fetch(queryId, cancelled), allocator))

  private def copied(bytes: ByteString, allocator: BufferAllocator): ArrowBuf = {
    val buffer = allocator.buffer(bytes.size)
    buffer.setBytes(0, bytes.asReadOnlyByteBuffer)
    buffer.writerIndex(bytes.size)
  }
}
