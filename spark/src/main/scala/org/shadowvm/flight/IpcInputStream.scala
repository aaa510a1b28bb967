// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.flight

import java.io.InputStream
import java.nio.ByteBuffer
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import io.grpc.{ClientCall, Metadata, Status, StatusRuntimeException}

/**
 * The messages of a DoGet as one Arrow IPC stream. A few messages are asked for ahead of the reader, so that a slow
 * reader holds no more than these in memory. Read by one thread.
 */
private[flight] final class IpcInputStream(call: ClientCall[_, FlightDataParts], check: () => Unit)
    extends InputStream {
  import IpcInputStream._

  private sealed trait Event
  private final case class Message(parts: FlightDataParts) extends Event
  private final case class End(status: Status, trailers: Metadata) extends Event

  private val events = new LinkedBlockingQueue[Event]()
  private var chunks: List[ByteBuffer] = Nil
  private var ended = false

  val listener: ClientCall.Listener[FlightDataParts] = new ClientCall.Listener[FlightDataParts] {
    override def onMessage(parts: FlightDataParts): Unit = events.add(Message(parts))
    override def onClose(status: Status, trailers: Metadata): Unit = events.add(End(status, trailers))
  }

  def begin(): Unit = call.request(Ahead)

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  override def read(target: Array[Byte], offset: Int, length: Int): Int =
    if (length == 0) 0
    else if (!advance()) -1
    else {
      val count = math.min(length, chunks.head.remaining)
      chunks.head.get(target, offset, count)
      count
    }

  override def close(): Unit = if (!ended) {
    ended = true
    chunks = Nil
    call.cancel("the reader has closed the stream", null)
  }

  /** To a chunk that has bytes; false at the end of the stream. */
  private def advance(): Boolean = {
    chunks = chunks.dropWhile(!_.hasRemaining)
    while (chunks.isEmpty && !ended) next() match {
      case Message(parts) =>
        call.request(1)
        chunks = List(parts.framedHeader, ByteBuffer.wrap(parts.body)).filter(_.hasRemaining)
      case End(status, trailers) =>
        ended = true
        if (!status.isOk) throw new StatusRuntimeException(status, trailers)
        chunks = List(FlightDataParts.endOfStream)
    }
    chunks.nonEmpty
  }

  private def next(): Event = {
    var event = events.poll(GlanceMs, TimeUnit.MILLISECONDS)
    while (event == null) {
      check()
      event = events.poll(GlanceMs, TimeUnit.MILLISECONDS)
    }
    event
  }
}

private object IpcInputStream {
  val Ahead = 3
  val GlanceMs: Long = 10
}
