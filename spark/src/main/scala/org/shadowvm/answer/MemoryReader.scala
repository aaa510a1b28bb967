// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.answer

import java.io.IOException
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.arrow.flatbuf.{Message, MessageHeader}
import org.apache.arrow.memory.{ArrowBuf, BufferAllocator}
import org.apache.arrow.vector.ipc.ArrowReader
import org.apache.arrow.vector.ipc.message.MessageSerializer
import org.apache.arrow.vector.types.pojo.Schema

/**
 * Reads an Arrow IPC stream that lies in memory. Vectors are parts of that memory, not copies: Arrow's own reader knows
 * only channels, and copies. Owns `stream`, whose memory goes with the last vector that uses it.
 */
private[answer] final class MemoryReader(stream: ArrowBuf, allocator: BufferAllocator) extends ArrowReader(allocator) {
  import MemoryReader._

  private var position = 0L

  override def loadNextBatch(): Boolean = {
    prepareLoadNextBatch()
    val batch = nextMessage(MessageHeader.RecordBatch)
    batch.foreach(message => loadRecordBatch(MessageSerializer.deserializeRecordBatch(message, body(message))))
    batch.nonEmpty
  }

  override def bytesRead(): Long = position

  override protected def readSchema(): Schema = MessageSerializer.deserializeSchema(
    nextMessage(MessageHeader.Schema).getOrElse(throw new IOException("the answer has no schema")))

  override protected def closeReadSource(): Unit = stream.close()

  /** None at the end of the stream. */
  private def nextMessage(kind: Byte): Option[Message] = {
    val length = headerLength()
    if (length == 0) None
    else {
      val message = Message.getRootAsMessage(header(take(length)))
      if (message.headerType != kind) throw new IOException(s"the answer has a message of type ${message.headerType}, " +
        s"where one of type $kind was expected")
      Some(message)
    }
  }

  private def headerLength(): Long =
    // A stream may also just end.
    if (position == stream.capacity) 0
    else {
      val first = stream.getInt(take(IntBytes).start)
      if (first == MessageSerializer.IPC_CONTINUATION_TOKEN) stream.getInt(take(IntBytes).start) else first
    }

  private def header(range: Range): ByteBuffer = {
    val header = ByteBuffer.allocate(range.length.toInt).order(ByteOrder.LITTLE_ENDIAN)
    stream.getBytes(range.start, header)
    header.flip()
    header
  }

  /** Whoever gets it releases it, and with it one hold on the stream. */
  private def body(message: Message): ArrowBuf = {
    val range = take(message.bodyLength)
    stream.getReferenceManager.retain()
    stream.slice(range.start, range.length)
  }

  private def take(length: Long): Range = {
    if (length < 0 || length > stream.capacity - position)
      throw new IOException(s"the answer is cut off: $length bytes at $position of ${stream.capacity}")
    val range = Range(position, length)
    position += length
    range
  }
}

private object MemoryReader {
  final case class Range(start: Long, length: Long)

  val IntBytes = 4L
}
