// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.nio.ByteBuffer

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** What a task brings home: rows as bytes, the last barrier it passed, and the time it took to read the rows. */
private[shadowvm] final case class Harvest(
    chunks: Array[Chunk],
    numRows: Int,
    barrier: Barrier,
    readNanos: Long) {

  /** What travels. */
  def numBytes: Long = chunks.iterator.map(_.bytes.length.toLong).sum

  /** The rows lie in the chunks. */
  def rows(numFields: Int): Array[InternalRow] = {
    val rows = new Array[InternalRow](numRows)
    var filled = 0
    chunks.iterator.map(_.unpacked).foreach { chunk =>
      val bytes = ByteBuffer.wrap(chunk)
      while (bytes.hasRemaining) {
        val size = bytes.getLong().toInt
        val row = new UnsafeRow(numFields)
        row.pointTo(chunk, Platform.BYTE_ARRAY_OFFSET.toLong + bytes.position(), size)
        bytes.position(bytes.position() + size)
        rows(filled) = row
        filled += 1
      }
    }
    rows
  }
}

/** How many of the rows a harvest takes. */
private[shadowvm] sealed trait Reaping extends ((TaskContext, Iterator[InternalRow]) => Harvest) with Serializable {
  protected def choose(rows: Iterator[UnsafeRow]): Iterator[UnsafeRow]

  override def apply(task: TaskContext, rows: Iterator[InternalRow]): Harvest = reap(rows.asInstanceOf[AnswerRows])

  def reap(answer: AnswerRows): Harvest = {
    val begin = System.nanoTime()
    val chunks = new RowChunks
    choose(answer.map(_.asInstanceOf[UnsafeRow])).foreach(chunks.add)
    answer.close()
    Harvest(chunks.result(), chunks.numRows, answer.barrier, System.nanoTime() - begin)
  }
}

private[shadowvm] case object ReapAll extends Reaping {
  override protected def choose(rows: Iterator[UnsafeRow]): Iterator[UnsafeRow] = rows
}

private[shadowvm] final case class ReapFirst(limit: Int) extends Reaping {
  override protected def choose(rows: Iterator[UnsafeRow]): Iterator[UnsafeRow] = rows.take(limit)
}

private[shadowvm] final case class ReapLast(limit: Int) extends Reaping {
  override protected def choose(rows: Iterator[UnsafeRow]): Iterator[UnsafeRow] = {
    val last = new mutable.Queue[UnsafeRow]
    rows.foreach { row =>
      if (last.size == limit) last.dequeue()
      last.enqueue(row.copy())
    }
    last.iterator
  }
}

/** Rows one after another, each behind its size. Sizes take eight bytes, so that rows stay aligned. */
private[shadowvm] final class RowChunks {
  private val full = new mutable.ArrayBuffer[Chunk]
  private var current = ByteBuffer.allocate(RowChunks.FirstBytes)
  private var count = 0

  def numRows: Int = count

  def add(row: UnsafeRow): Unit = {
    val size = row.getSizeInBytes
    if (current.remaining() < size + 8) startChunk(size + 8)
    current.putLong(size.toLong)
    row.writeToMemory(current.array(), Platform.BYTE_ARRAY_OFFSET.toLong + current.position())
    current.position(current.position() + size)
    count += 1
  }

  def result(): Array[Chunk] = {
    endChunk()
    full.toArray
  }

  private def startChunk(needed: Int): Unit = {
    val next = math.min(math.max(current.capacity().toLong * 4, needed.toLong), RowChunks.MostBytes.toLong).toInt
    endChunk()
    current = ByteBuffer.allocate(math.max(next, needed))
  }

  private def endChunk(): Unit =
    if (current.position() > 0) full += Chunk.of(java.util.Arrays.copyOf(current.array(), current.position()))
}

private[shadowvm] object RowChunks {
  private val FirstBytes = 4 << 10
  private val MostBytes = 4 << 20
}
