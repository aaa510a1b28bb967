// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.io.IOException
import java.lang.reflect.Field
import java.net.Socket
import java.util.concurrent.ConcurrentHashMap

import scala.util.Try

import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.execution.SQLExecution
import py4j.ClientServerConnection

/**
 * The Python program that waits for an answer over a connection of its own. A program that waits sends nothing, unless
 * Ctrl-C has interrupted it: PySpark's handler then asks for cancelAllJobs over the connection that is busy with the
 * query, which nobody reads from before the query is done, and gives the call up. So bytes that come in while a query
 * runs are a cancel.
 */
private[shadowvm] final class PythonCaller(thread: Thread, socket: Socket) {
  def isOpen: Boolean = thread.isAlive && !socket.isClosed

  /** Closed by us is not gone: whoever waits has another connection then, or none. */
  def hasGone: Boolean =
    try isOpen && socket.getInputStream.available() > 0
    catch { case _: IOException => false }
}

private[shadowvm] object PythonCaller extends Logging {
  private val Property = "shadowvm.python.caller"
  private val callers = new ConcurrentHashMap[String, PythonCaller]

  /** Whom this thread, or the one that has handed it its work, answers. None where it is no Python program. */
  def of(context: SparkContext): Option[PythonCaller] =
    ofThread().orElse {
      for {
        name <- Option(context.getLocalProperty(Property))
        execution <- executionIn(context)
        caller <- Option(callers.get(name.stripSuffix(s"/$execution"))) if caller.isOpen
      } yield caller
    }

  /**
   * Spark runs broadcasts and subqueries on threads of its own, and carries local properties along. So do threads of
   * streams and of pools, which go on after the call that has made them: hence the execution, which must be the same.
   */
  def remember(context: SparkContext): Unit =
    for {
      execution <- executionIn(context)
      _ <- ofThread()
    } context.setLocalProperty(Property, s"$threadName/$execution")

  /** How many connections are known. */
  private[shadowvm] def size: Int = callers.size

  private def executionIn(context: SparkContext): Option[String] =
    Option(context.getLocalProperty(SQLExecution.EXECUTION_ROOT_ID_KEY))

  private def ofThread(): Option[PythonCaller] =
    for {
      connection <- connectionOf(Thread.currentThread())
      socket <- Option(connection.getSocket)
    } yield known(socket)

  private def known(socket: Socket): PythonCaller = Option(callers.get(threadName)).getOrElse {
    callers.values.removeIf(!_.isOpen)
    val caller = new PythonCaller(Thread.currentThread(), socket)
    callers.put(threadName, caller)
    caller
  }

  /** No other thread of this JVM has it before or after this one, and this one serves one connection. */
  private def threadName: String = Thread.currentThread().getId.toString

  private def connectionOf(thread: Thread): Option[ClientServerConnection] =
    if (thread.getClass != classOf[Thread]) None
    else runnable(thread) match {
      case connection: ClientServerConnection => Some(connection)
      case _ => None
    }

  /** What a thread runs. Py4J keeps its connections to itself; where Java does, too, nobody can be asked. */
  private lazy val runnable: Thread => AnyRef = {
    val target = field(classOf[Thread], "target").map(target => (thread: Thread) => target.get(thread))
    def task = for { // From Java 19 on.
      holder <- field(classOf[Thread], "holder")
      task <- field(holder.getType, "task")
    } yield (thread: Thread) => task.get(holder.get(thread))
    target.orElse(task).getOrElse {
      logInfo("Ctrl-C in PySpark will not end queries in the node: start Java with " +
        "--add-opens=java.base/java.lang=ALL-UNNAMED, as Spark's scripts do")
      _ => null
    }
  }

  private def field(owner: Class[_], name: String): Option[Field] = Try {
    val field = owner.getDeclaredField(name)
    field.setAccessible(true)
    field
  }.toOption
}
