// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.io.InputStream
import java.nio.file.Path
import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}

import scala.util.Try
import scala.util.control.NonFatal

import org.shadowvm.flight.FlightChannel
import org.shadowvm.flight.proto.FlightInfo
import org.shadowvm.proto.v1.{ErrorClass, HandshakeRequest, HandshakeResponse}

/**
 * A connection and the session it has opened with a node. Lives until it is closed or lost; it never comes back, and
 * whoever holds it opens another. A thread of its own keeps the lease and notices a node that no longer answers, so
 * that calls without a time limit end too.
 */
private[node] final class NodeSession private (val address: String, channel: FlightChannel) extends AutoCloseable {
  import NodeSession._

  @volatile private var headers = Map.empty[String, String]
  @volatile private var loss: Option[NodeAway] = None

  private val keeper: ScheduledExecutorService = Executors.newSingleThreadScheduledExecutor { (task: Runnable) =>
    val thread = new Thread(task, "shadowvm-keepalive")
    thread.setDaemon(true)
    thread
  }

  /** An action and its answer's bytes. `check` is called every few milliseconds and may throw. */
  def act(name: String, body: Array[Byte] = Nothing, limitMs: Long = CallMs, check: () => Unit = () => ())
      : Array[Byte] =
    translated(channel.action(name, body, headers, limitMs).await(GlanceMs, whileThere(check))).getBody.toByteArray

  def flightInfo(command: Array[Byte]): FlightInfo =
    translated(channel.flightInfo(command, headers, CallMs).await(GlanceMs, whileThere(() => ())))

  def get(ticket: Array[Byte], check: () => Unit): InputStream =
    new TranslatedStream(address, channel.get(ticket, headers, whileThere(check)))

  /** Sends an action and does not wait for its answer. */
  def tell(name: String, body: Array[Byte]): Unit = channel.action(name, body, headers, CallMs)

  override def close(): Unit = {
    keeper.shutdownNow()
    if (loss.isEmpty && headers.nonEmpty) Try(act("close", limitMs = CloseMs))
    channel.close()
  }

  private def handshake(): Unit = {
    val request = HandshakeRequest.newBuilder.setProtocolVersion(ProtocolVersion)
      .setClient(s"spark ${ProcessHandle.current.pid}").setLeaseMs(LeaseMs).build
    val response = HandshakeResponse.parseFrom(act("handshake", request.toByteArray, HandshakeMs))
    if (response.getProtocolVersion != ProtocolVersion) {
      val text = s"it speaks ${response.getProtocolVersion}, this plugin $ProtocolVersion"
      throw new NodeFailure(NodeFailure.ProtocolVersion, ErrorClass.ERROR_CLASS_USER, text)
    }
    headers = Map(SessionHeader -> response.getSession)
    val everyMs = math.max(1L, math.min(KeepAliveMs, response.getLeaseMs / 3L))
    keeper.scheduleWithFixedDelay(() => keepAlive(), everyMs, everyMs, TimeUnit.MILLISECONDS)
  }

  private def keepAlive(): Unit =
    try act("keepalive", limitMs = SilenceMs)
    catch {
      case away: NodeAway => loss = Some(away)
      // Anything else, such as a lease that ended, is the business of the next call.
      case NonFatal(_) =>
    }

  private def whileThere(check: () => Unit): () => Unit = () => {
    loss.foreach(lost => throw new NodeAway(lost.getMessage, lost))
    check()
  }

  private def translated[T](call: => T): T = NodeErrors.translated(address)(call)
}

private[node] object NodeSession {
  /** The only one there is. */
  val ProtocolVersion = 1

  private val SessionHeader = "shadowvm-session"
  private val Nothing = Array.emptyByteArray
  private val GlanceMs = 10L
  private val HandshakeMs = 10000L
  // Planning opens every file of a query; more than this is a node that hangs.
  private val CallMs = 120000L
  private val CloseMs = 1000L
  private val LeaseMs = 30000
  private val KeepAliveMs = 5000L
  private val SilenceMs = 20000L

  /** Connects and opens a session: [[NodeAway]] if nobody listens, [[NodeFailure]] if it is not one for us. */
  def open(address: String, socket: Path): NodeSession = {
    NodeAddress.refusal(socket).foreach { refusal =>
      throw new NodeFailure(NodeFailure.BadAddress, ErrorClass.ERROR_CLASS_USER,
        s"not connecting to a node at $socket: $refusal")
    }
    val session = new NodeSession(address, new FlightChannel(socket))
    try {
      session.handshake()
      session
    } catch {
      case failure: Throwable =>
        session.close()
        throw explained(address, failure)
    }
  }

  private def explained(address: String, failure: Throwable): Throwable = failure match {
    case other: NodeFailure if other.code == NodeFailure.ProtocolVersion =>
      new NodeFailure(other.code, other.errorClass,
        s"the node at $address speaks another protocol version (${other.getMessage}): use a node and a plugin of the " +
          "same release", other)
    case other => other
  }
}
