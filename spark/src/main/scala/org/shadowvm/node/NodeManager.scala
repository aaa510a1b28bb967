// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.util.concurrent.{Executors, RejectedExecutionException, ScheduledExecutorService, TimeUnit}

import scala.util.control.NonFatal

import org.apache.spark.SparkConf
import org.slf4j.LoggerFactory

/**
 * The driver's node: one that it starts itself and starts again when it dies, or one that runs already and is looked
 * for again when it has gone. Only [[start]] waits for it; later that is the work of a thread of its own, and queries
 * that come meanwhile are told that there is no node.
 */
final class NodeManager private[node] (hostOf: (NodeAway => Unit) => Either[String, NodeHost]) {
  import NodeManager._

  def this(conf: SparkConf) = this(NodeManager.hostOf(conf, _))

  private val worker: ScheduledExecutorService = Executors.newSingleThreadScheduledExecutor { (task: Runnable) =>
    val thread = new Thread(task, "shadowvm-node")
    thread.setDaemon(true)
    thread
  }
  private val host = hostOf(lost)
  @volatile private var state: Either[String, NodeClient] = Left("the node has not been started")
  @volatile private var stopped = false

  /** Returns when the node answers, or when it is known why it does not: that is logged and no error. */
  def start(): Unit = host match {
    case Left(reason) => away(reason)
    case Right(node) => bringUp(node, failures = 0)
  }

  /** For one query; Left says in one sentence why there is none. */
  def client(): Either[String, NodeClient] = state

  /** Somebody saw it gone: brings it back in the background. */
  def lost(failure: NodeAway): Unit = host.foreach { node =>
    // Many queries may see the same loss.
    if (state.isRight) {
      away(s"${failure.getMessage}; it is being brought back")
      later(0)(bringUp(node, failures = 0))
    }
  }

  /** Stops what [[start]] has started; nothing of it is left afterwards. */
  def stop(): Unit = {
    stopped = true
    worker.shutdownNow()
    worker.awaitTermination(StopMs, TimeUnit.MILLISECONDS)
    state = Left("the application has ended")
    host.foreach(_.shutDown())
  }

  private def bringUp(node: NodeHost, failures: Int): Unit =
    try {
      node.bringUp()
      state = Right(NodeClients.at(node.address))
      log.info("Queries may run in the node at {}", node.address)
      // Who said so before that was not heard.
      if (!node.isAlive) lost(new NodeAway("the node ended as soon as it was there"))
    } catch {
      case _: NodeCancelled =>
      // Also one that nobody has foreseen: it must not end the application, nor the attempts to get a node.
      case NonFatal(failure) if !stopped =>
        away(wordsOf(failure))
        later(pauseMs(failures))(bringUp(node, failures + 1))
      case NonFatal(_) =>
    }

  private def wordsOf(failure: Throwable): String = failure match {
    case known: NodeFailure => known.getMessage
    case other => s"it cannot be had ($other)"
  }

  /** The same reason again is not news. */
  private def away(reason: String): Unit = {
    if (!stopped && !state.left.toOption.contains(reason)) log.warn("No node, so queries run in Spark: {}", reason)
    state = Left(reason)
  }

  private def later(pauseMs: Long)(task: => Unit): Unit =
    try worker.schedule((() => task): Runnable, pauseMs, TimeUnit.MILLISECONDS)
    catch { case _: RejectedExecutionException => } // it has been stopped
}

object NodeManager {
  private val log = LoggerFactory.getLogger(classOf[NodeManager])
  private val FirstPauseMs = 100L
  private val LongestPauseMs = 5000L
  private val StopMs = 15000L

  private def hostOf(conf: SparkConf, lost: NodeAway => Unit): Either[String, NodeHost] = NodeSource.of(conf) match {
    case NodeSource.Absent(reason) => Left(reason)
    case NodeSource.Running(address) => Right(new GivenNode(address))
    case started: NodeSource.Started => Right(new StartedNode(started, lost))
  }

  private def pauseMs(failures: Int): Long = math.min(LongestPauseMs, FirstPauseMs << math.min(failures, 10))
}
