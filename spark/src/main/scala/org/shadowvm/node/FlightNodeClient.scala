// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.io.InputStream
import java.nio.file.Path

import com.google.protobuf.ByteString
import org.shadowvm.flight.proto.FlightInfo
import org.shadowvm.proto.v1._

/**
 * A client that outlives its sessions: one that is lost, or that the node has forgotten, is replaced with the next
 * call. A call is repeated only where the node has said that it does not know the session, so that it did nothing.
 */
private[node] final class FlightNodeClient(override val address: String, socket: Path, timeoutMs: Long)
    extends NodeClient {
  import FlightNodeClient._

  private var session: Option[NodeSession] = None
  private var closed = false

  override def validate(command: Array[Byte]): ValidateResponse =
    ValidateResponse.parseFrom(inSession(_.act("validate", command)))

  override def noGpu(): Option[String] = current().noGpu

  override def register(queryId: String, command: Array[Byte], execution: Execution): RegisterResponse =
    RegisterResponse.parseFrom(flightInfo(queryId, command, execution).getAppMetadata)

  override def answerSchema(queryId: String, command: Array[Byte], execution: Execution): Array[Byte] =
    flightInfo(queryId, command, execution).getSchema.toByteArray

  override def run(request: RunPipelineRequest, cancelled: () => Boolean): RunPipelineResponse = {
    val id = request.getQueryId
    RunPipelineResponse.parseFrom(inSession { session =>
      session.act("run", request.toByteArray, Unlimited, stopWhen(cancelled, session, id))
    })
  }

  override def fetch(queryId: String, cancelled: () => Boolean): InputStream = inSession { session =>
    val ticket = QueryTicket.newBuilder.setQueryId(queryId).build
    session.get(ticket.toByteArray, stopWhen(cancelled, session, queryId))
  }

  override def cancel(queryId: String): Unit = inSession(_.act("cancel", cancelRequest(queryId)))

  override def status(): StatusResponse = StatusResponse.parseFrom(inSession(_.act("status", limitMs = timeoutMs)))

  override def dropTables(): Unit = inSession(_.act("drop_tables"))

  override def dropKernels(): Unit = inSession(_.act("drop_kernels"))

  override def close(): Unit = synchronized {
    closed = true
    session.foreach(_.close())
    session = None
  }

  private def flightInfo(queryId: String, command: Array[Byte], execution: Execution): FlightInfo = {
    val request = RunRequest.newBuilder.setQueryId(queryId).setCommand(ByteString.copyFrom(command))
      .setExecution(execution).build
    inSession(_.flightInfo(request.toByteArray))
  }

  private def inSession[T](call: NodeSession => T): T = {
    val first = current()
    try call(first)
    catch {
      case away: NodeAway =>
        discard(first)
        throw away
      case forgotten: NodeFailure if forgotten.code == NodeFailure.UnknownSession =>
        discard(first)
        call(current())
    }
  }

  private def current(): NodeSession = synchronized {
    if (closed) throw new NodeAway(s"the connection to the node at $address was closed")
    session.getOrElse {
      val opened = NodeSession.open(address, socket, timeoutMs)
      session = Some(opened)
      opened
    }
  }

  /** Others may still wait in calls of the lost session: closing it ends these. */
  private def discard(lost: NodeSession): Unit = synchronized {
    if (session.contains(lost)) session = None
    lost.close()
  }

  private def stopWhen(cancelled: () => Boolean, session: NodeSession, queryId: String): () => Unit = () =>
    if (cancelled()) {
      session.tell("cancel", cancelRequest(queryId))
      throw new NodeCancelled(s"query $queryId was cancelled")
    }
}

private object FlightNodeClient {
  // gRPC wants a number; keep-alives notice a node that has gone.
  private val Unlimited = java.util.concurrent.TimeUnit.DAYS.toMillis(30)

  private def cancelRequest(queryId: String): Array[Byte] =
    CancelRequest.newBuilder.setQueryId(queryId).build.toByteArray
}
