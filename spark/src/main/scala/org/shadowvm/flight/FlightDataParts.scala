// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.flight

import java.io.InputStream
import java.nio.{ByteBuffer, ByteOrder}

import com.google.protobuf.{CodedInputStream, WireFormat}
import io.grpc.MethodDescriptor.Marshaller

/**
 * One message of an answer: an Arrow IPC header and its body. Taken apart by hand rather than by generated code, so
 * that a body is copied once, from gRPC's buffers into an array.
 */
private[flight] final case class FlightDataParts(header: Array[Byte], body: Array[Byte]) {
  import FlightDataParts._

  /** What stands before the body in an IPC stream: a mark, the header's length, the header up to a multiple of 8. */
  def framedHeader: ByteBuffer = {
    val padded = (header.length + Alignment - 1) / Alignment * Alignment
    val framed = ByteBuffer.allocate(PrefixBytes + padded).order(ByteOrder.LITTLE_ENDIAN)
    framed.putInt(Continuation).putInt(padded).put(header).position(0)
    framed
  }
}

private[flight] object FlightDataParts extends Marshaller[FlightDataParts] {
  private val Alignment = 8
  private val PrefixBytes = 8
  private val Continuation = -1
  private val Empty = Array.emptyByteArray

  // Field numbers of FlightData in flight.proto.
  private val HeaderTag = tagOf(2)
  private val BodyTag = tagOf(1000)

  /** Ends an IPC stream. */
  def endOfStream: ByteBuffer =
    ByteBuffer.allocate(PrefixBytes).order(ByteOrder.LITTLE_ENDIAN).putInt(Continuation).putInt(0).position(0)

  override def parse(stream: InputStream): FlightDataParts = {
    val input = CodedInputStream.newInstance(stream)
    input.setSizeLimit(Int.MaxValue)
    var header = Empty
    var body = Empty
    var tag = input.readTag()
    while (tag != 0) {
      tag match {
        case HeaderTag => header = input.readByteArray()
        case BodyTag => body = input.readByteArray()
        case _ => input.skipField(tag)
      }
      tag = input.readTag()
    }
    FlightDataParts(header, body)
  }

  override def stream(value: FlightDataParts): InputStream =
    throw new UnsupportedOperationException("answers come from a node, they are not sent to one")

  private def tagOf(field: Int): Int = (field << 3) | WireFormat.WIRETYPE_LENGTH_DELIMITED
}
