// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.io.IOException
import java.lang.ref.WeakReference
import java.net.Socket
import java.util.concurrent.ConcurrentHashMap

import scala.util.Try

import org.apache.spark.SparkContext
import py4j.ClientServerConnection

/**
 * The Python program that waits for an answer over a connection of its own. A program that waits sends nothing, unless
 * Ctrl-C has interrupted it: PySpark's handler then asks for cancelAllJobs over the connection that is busy with the
 * query, which nobody reads from before the query is done, and gives the call up. So bytes that come in while a query
 * runs are a cancel, or the loss of whoever asked.
 */
private[shadowvm] final class PythonCaller(socket: Socket) {
  def hasGone: Boolean =
    try socket.getInputStream.available() > 0
    catch { case _: IOException => true }
}

private[shadowvm] object PythonCaller {
  private val Property = "shadowvm.python.connection"
  private val sockets = new ConcurrentHashMap[String, WeakReference[Socket]]

  /** Whom this thread, or the one that has handed it its work, answers. None where it is no Python program. */
  def of(context: SparkContext): Option[PythonCaller] = ofThread(context).orElse(ofProperty(context))

  /** Spark runs broadcasts and subqueries on threads of its own, and carries local properties along. */
  def remember(context: SparkContext): Unit = ofThread(context)

  private def ofThread(context: SparkContext): Option[PythonCaller] =
    runnableOf(Thread.currentThread()).collect { case connection: ClientServerConnection =>
      val socket = connection.getSocket
      val name = socket.getPort.toString
      sockets.put(name, new WeakReference(socket))
      context.setLocalProperty(Property, name)
      new PythonCaller(socket)
    }

  private def ofProperty(context: SparkContext): Option[PythonCaller] =
    for {
      name <- Option(context.getLocalProperty(Property))
      reference <- Option(sockets.get(name))
      socket <- Option(reference.get())
    } yield new PythonCaller(socket)

  /** Py4J keeps its connections to itself; where Java does, too, nobody can be asked. */
  private def runnableOf(thread: Thread): Option[AnyRef] =
    if (thread.getClass != classOf[Thread]) None
    else inField(thread, classOf[Thread], "target").orElse {
      // From Java 19 on.
      inField(thread, classOf[Thread], "holder").flatMap(holder => inField(holder, holder.getClass, "task"))
    }

  private def inField(owner: AnyRef, ofClass: Class[_], name: String): Option[AnyRef] = Try {
    val field = ofClass.getDeclaredField(name)
    field.setAccessible(true)
    Option(field.get(owner))
  }.toOption.flatten
}
