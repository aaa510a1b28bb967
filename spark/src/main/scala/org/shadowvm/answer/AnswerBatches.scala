// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.answer

import java.io.IOException

import scala.collection.JavaConverters._

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.ipc.ArrowReader
import org.apache.spark.sql.vectorized.{ArrowColumnVector, ColumnVector, ColumnarBatch}
import org.shadowvm.node.NodeFailure
import org.shadowvm.proto.v1.ErrorClass

/**
 * An answer, batch by batch; none of them is empty. A batch is good until the next one is asked for. Memory is given
 * back at the end or by [[close]], whichever comes first. Used by one thread at a time.
 */
final class AnswerBatches private[answer] (allocator: BufferAllocator, readers: Seq[ArrowReader])
    extends Iterator[ColumnarBatch] with AutoCloseable {

  private var remaining = readers.toList
  private var columns: Option[Array[ColumnVector]] = None
  private var batch: Option[ColumnarBatch] = None
  private var closed = false

  override def hasNext: Boolean = {
    while (batch.isEmpty && !closed) advance()
    batch.nonEmpty
  }

  override def next(): ColumnarBatch = {
    if (!hasNext) throw new NoSuchElementException("the answer has no further batch")
    val current = batch.get
    batch = None
    current
  }

  override def close(): Unit = if (!closed) {
    closed = true
    batch = None
    remaining.foreach(_.close())
    remaining = Nil
    allocator.close()
  }

  private def advance(): Unit = remaining match {
    case Nil => close()
    case reader :: others =>
      if (!readable(reader.loadNextBatch())) {
        reader.close()
        columns = None
        remaining = others
      } else if (reader.getVectorSchemaRoot.getRowCount > 0) batch = Some(batchOf(reader))
  }

  /** Vectors of a reader stay the same; each batch fills them anew. */
  private def batchOf(reader: ArrowReader): ColumnarBatch = {
    val root = reader.getVectorSchemaRoot
    if (columns.isEmpty)
      columns = Some(root.getFieldVectors.asScala.map(new ArrowColumnVector(_): ColumnVector).toArray)
    new ColumnarBatch(columns.get, root.getRowCount)
  }

  private def readable[T](read: => T): T =
    try read
    catch {
      case failed: IOException =>
        throw new NodeFailure(NodeFailure.NoCode, ErrorClass.ERROR_CLASS_RETRYABLE,
          s"cannot read the node's answer: ${failed.getMessage}", failed)
    }
}
