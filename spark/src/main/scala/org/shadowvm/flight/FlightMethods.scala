// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.flight

import java.io.{ByteArrayInputStream, InputStream}

import com.google.protobuf.{MessageLite, Parser}
import io.grpc.MethodDescriptor
import io.grpc.MethodDescriptor.{Marshaller, MethodType}
import org.shadowvm.flight.proto.{Action, FlightDescriptor, FlightInfo, Result, Ticket}

/**
 * The calls of Arrow Flight that a node answers, as gRPC sees them. Arrow's own Java client is not used: it would have
 * to match the Arrow that a Spark version brings, and its netty cannot open Unix sockets on every such version.
 */
private[flight] object FlightMethods {
  private val service = "arrow.flight.protocol.FlightService"

  val GetFlightInfo: MethodDescriptor[FlightDescriptor, FlightInfo] =
    method("GetFlightInfo", MethodType.UNARY, message(FlightDescriptor.parser), message(FlightInfo.parser))

  val DoAction: MethodDescriptor[Action, Result] =
    method("DoAction", MethodType.SERVER_STREAMING, message(Action.parser), message(Result.parser))

  val DoGet: MethodDescriptor[Ticket, FlightDataParts] =
    method("DoGet", MethodType.SERVER_STREAMING, message(Ticket.parser), FlightDataParts)

  private def method[Q, A](name: String, kind: MethodType, question: Marshaller[Q], answer: Marshaller[A]) =
    MethodDescriptor.newBuilder(question, answer)
      .setType(kind)
      .setFullMethodName(MethodDescriptor.generateFullMethodName(service, name))
      .build()

  private def message[T <: MessageLite](parser: Parser[T]): Marshaller[T] = new Marshaller[T] {
    override def stream(value: T): InputStream = new ByteArrayInputStream(value.toByteArray)
    override def parse(stream: InputStream): T = parser.parseFrom(stream)
  }
}
