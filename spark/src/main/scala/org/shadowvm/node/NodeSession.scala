// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.io.InputStream
import java.nio.file.Path
import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}

import scala.collection.JavaConverters._
import scala.util.Try
import scala.util.control.NonFatal

import org.shadowvm.flight.FlightChannel
import org.shadowvm.flight.proto.FlightInfo
import org.shadowvm.proto.v1.{ErrorClass, HandshakeRequest, HandshakeResponse}

/**
 * A connection and the session it has opened with a node. Lives until it is closed or lost; it never comes back, and
 * whoever holds it opens another. A thread of its own keeps the lease and notices a node that no longer answers, so
 * that calls without a time limit end too.
 *
 * @param timeoutMs
 *   how long the node may be silent
 */
private[node] final class NodeSession private (val address: String, channel: FlightChannel, timeoutMs: Long)
    extends AutoCloseable {
  import NodeSession._

  @volatile private var headers = Map.empty[String, String]
  @volatile private var loss: Option[NodeAway] = None
  private var hello = HandshakeResponse.getDefaultInstance

  private val keeper: ScheduledExecutorService = Executors.newSingleThreadScheduledExecutor { (task: Runnable) =>
    val thread = new Thread(task, "shadowvm-keepalive")
    thread.setDaemon(true)
    thread
  }

  /** Why there is no GPU; none if there is one. Of a session that is open. */
  def noGpu: Option[String] = {
    val onlyCpu = hello.getDevicesList.asScala.forall(_.getName == Cpu)
    if (onlyCpu) Some(hello.getNoGpu).filter(_.nonEmpty).orElse(Some("the node has no GPU")) else None
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
    val response = HandshakeResponse.parseFrom(act("handshake", request.toByteArray, timeoutMs))
    if (response.getProtocolVersion != ProtocolVersion) {
      val text = s"it speaks ${response.getProtocolVersion}, this plugin $ProtocolVersion"
      throw new NodeFailure(NodeFailure.ProtocolVersion, ErrorClass.ERROR_CLASS_USER, text)
    }
    hello = response
    headers = Map(SessionHeader -> response.getSession)
    val everyMs = math.max(1L, math.min(math.min(KeepAliveMs, timeoutMs / 4), response.getLeaseMs / 3L))
    keeper.scheduleWithFixedDelay(() => keepAlive(), everyMs, everyMs, TimeUnit.MILLISECONDS)
  }

  private def keepAlive(): Unit =
    try act("keepalive", limitMs = timeoutMs)
    catch {
      case away: NodeAway => loss = Some(new NodeAway(s"${away.getMessage}; it may be silent for $timeoutMs ms", away))
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

  private val Cpu = "cpu"
  private val SessionHeader = "shadowvm-session"
  private val Nothing = Array.emptyByteArray
  private val GlanceMs = 10L
  // Planning opens every file of a query. A node that hangs is noticed by keep-alives, and earlier.
  private val CallMs = 120000L
  private val CloseMs = 1000L
  private val LeaseMs = 30000
  private val KeepAliveMs = 5000L

  /** Connects and opens a session: [[NodeAway]] if nobody listens, [[NodeFailure]] if it is not one for us. */
  def open(address: String, socket: Path, timeoutMs: Long): NodeSession = {
    NodeAddress.refusal(socket).foreach { refusal =>
      throw new NodeFailure(NodeFailure.BadAddress, ErrorClass.ERROR_CLASS_USER,
        s"not connecting to a node at $socket: $refusal")
    }
    val session = new NodeSession(address, new FlightChannel(socket), timeoutMs)
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
