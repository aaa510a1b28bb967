// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

/** How [[NodeManager]] gets at a node. Used by one thread at a time. */
private[node] trait NodeHost {
  def address: String

  /** Returns once the node answers; [[NodeFailure]] says why it does not. May be called again after that. */
  def bringUp(): Unit

  /** As far as one can tell without asking it. */
  def isAlive: Boolean = true

  def shutDown(): Unit
}

/** A node that somebody else has started, and stops. */
private[node] final class GivenNode(override val address: String) extends NodeHost {
  override def bringUp(): Unit = NodeClients.at(address).status()

  override def shutDown(): Unit = NodeClients.close(address)
}

/** A node of our own: started, and started again when it does not answer. Always at the same socket. */
private[node] final class StartedNode(source: NodeSource.Started, died: NodeAway => Unit) extends NodeHost {
  import StartedNode._

  private val folder = SocketFolder.make()
  private val launch = NodeLaunch(source.program, folder.socket, source.memory, source.threads)
  private var process: Option[NodeProcess] = None

  override val address: String = s"unix:${folder.socket}"

  override def bringUp(): Unit = synchronized {
    if (!process.exists(answers)) {
      process.foreach(_.kill())
      val started = NodeProcess.start(launch)
      process = Some(started)
      // Before anything can fail: it may be found well later.
      started.onExit(mourn(started))
      started.awaitReady(ReadyMs)
      greet()
    }
  }

  override def isAlive: Boolean = synchronized(process.exists(_.isAlive))

  private def mourn(ended: NodeProcess): Unit = {
    val away = new NodeAway(ended.obituary)
    if (isCurrent(ended)) died(away)
  }

  /** The session with the node before this one may turn out to be lost only now, and is replaced then. */
  private def greet(): Unit =
    try NodeClients.at(address).status()
    catch { case _: NodeAway => NodeClients.at(address).status() }

  /** One that was stopped or replaced is no news. */
  private def isCurrent(ended: NodeProcess): Boolean = synchronized(process.contains(ended))

  override def shutDown(): Unit = synchronized {
    NodeClients.close(address)
    process.foreach(_.stop(StopMs))
    process = None
    folder.remove()
  }

  private def answers(process: NodeProcess): Boolean = process.isAlive && (
    try {
      NodeClients.at(address).status()
      true
    } catch { case _: NodeFailure => false })
}

private object StartedNode {
  private val ReadyMs = 10000L
  private val StopMs = 3000L
}
