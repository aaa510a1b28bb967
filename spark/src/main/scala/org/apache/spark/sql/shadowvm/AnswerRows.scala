// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import scala.collection.JavaConverters._

import com.google.protobuf.UnsafeByteOperations
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, InterpretedUnsafeProjection}
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.shadowvm.answer.{AnswerBatches, AnswerReader}
import org.shadowvm.proto.v1.RunPipelineResponse

/** The rows of an answer. Each is overwritten by the next, as Spark's operators do it. */
private[shadowvm] final class AnswerRows(val barrier: Barrier, batches: AnswerBatches, toUnsafe: UnsafeProjection)
    extends Iterator[InternalRow]
    with AutoCloseable {
  private var batch: Iterator[InternalRow] = Iterator.empty

  override def hasNext: Boolean = {
    while (!batch.hasNext && batches.hasNext) batch = batches.next().rowIterator().asScala
    batch.hasNext
  }

  override def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException("the answer has no more rows")
    toUnsafe(batch.next())
  }

  override def close(): Unit = batches.close()
}

private[shadowvm] object AnswerRows {

  /** Runs the last pipeline, and those it needs, and waits for the answer. */
  def run(query: ShadowQuery, pipeline: Int, output: Seq[Attribute], caller: Caller): AnswerRows = {
    val response = query.run(pipeline, caller, takeAnswer = true)
    read(response, query, Barrier(pipeline, response.getMetrics.toByteArray, None), output, caller)
  }

  /** An answer that has come along with its barrier. */
  def small(answer: Array[Byte], query: ShadowQuery, barrier: Barrier, output: Seq[Attribute]): AnswerRows = {
    val response = RunPipelineResponse.newBuilder().setInlineAnswer(UnsafeByteOperations.unsafeWrap(answer)).build()
    read(response, query, barrier, output, Caller(attempt = 0, () => false))
  }

  private def read(
      response: RunPipelineResponse,
      query: ShadowQuery,
      barrier: Barrier,
      output: Seq[Attribute],
      caller: Caller): AnswerRows =
    new AnswerRows(
      barrier,
      AnswerReader.batches(response, query.id, query.client, caller.cancelled),
      projection(output, small = !response.getInlineAnswer.isEmpty))

  /** Writing code, and finding it among what was compiled before, takes longer than a few thousand rows do. */
  private def projection(output: Seq[Attribute], small: Boolean): UnsafeProjection =
    if (small) InterpretedUnsafeProjection.createProjection(BindReferences.bindReferences(output, output))
    else UnsafeProjection.create(output, output)
}
