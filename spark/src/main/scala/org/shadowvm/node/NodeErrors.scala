// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import scala.util.Try

import io.grpc.{Metadata, Status, StatusRuntimeException}
import org.shadowvm.proto.v1.{Error, ErrorClass}

/** From Flight's errors to ours; the node's side of this is engine/node/flight_error.cc. */
private[node] object NodeErrors {
  // A serialized Error without its message, where it is the node that speaks and not the connection.
  private val details = Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER)
  private val message = Metadata.Key.of("x-arrow-status-message-bin", Metadata.BINARY_BYTE_MARSHALLER)

  /** Runs a call to the node at `address`; what gRPC throws becomes ours. */
  def translated[T](address: String)(call: => T): T =
    try call
    catch {
      case error: StatusRuntimeException => throw failure(address, error)
      case _: InterruptedException =>
        Thread.currentThread.interrupt()
        throw new NodeCancelled(s"interrupted while waiting for the node at $address")
    }

  def failure(address: String, error: StatusRuntimeException): NodeFailure = sent(error) match {
    case Some(sent) if sent.getCode == NodeFailure.NodeStopping => new NodeAway(text(error), error)
    case Some(sent) => new NodeFailure(sent.getCode, sent.getErrorClass, text(error), error)
    case None if connectionLost(error.getStatus.getCode) =>
      new NodeAway(s"lost the node at $address: ${reason(error)}", error)
    case None =>
      new NodeFailure(NodeFailure.NoCode, ErrorClass.ERROR_CLASS_FATAL, s"the node at $address: ${reason(error)}", error)
  }

  private def sent(error: StatusRuntimeException): Option[Error] =
    Option(error.getTrailers).flatMap(trailers => Option(trailers.get(details)))
      .flatMap(bytes => Try(Error.parseFrom(bytes)).toOption).filter(_.getCode != NodeFailure.NoCode)

  private def text(error: StatusRuntimeException): String =
    Option(error.getTrailers.get(message)).fold(error.getStatus.getDescription)(new String(_, "UTF-8"))

  private def reason(error: StatusRuntimeException): String = {
    val status = error.getStatus
    val cause = Option(status.getCause).flatMap(cause => Option(cause.getMessage)).map(text => s" ($text)")
    s"${status.getCode}${Option(status.getDescription).fold("")(": " + _)}${cause.getOrElse("")}"
  }

  private def connectionLost(code: Status.Code): Boolean = code match {
    case Status.Code.UNAVAILABLE | Status.Code.DEADLINE_EXCEEDED | Status.Code.CANCELLED | Status.Code.UNKNOWN => true
    case _ => false
  }
}
