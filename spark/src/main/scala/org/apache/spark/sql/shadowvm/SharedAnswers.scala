// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.concurrent.ConcurrentHashMap

import scala.collection.JavaConverters._

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd

/**
 * The answers of islands while their query is executed, so that an island that occurs twice runs once.
 *
 * @tparam T
 *   what is kept of an answer: an RDD, or its rows
 */
private[shadowvm] final class SharedAnswers[T] extends SparkListener {
  import SharedAnswers._

  private val entries = new ConcurrentHashMap[Key, Entry[T]]

  def of(key: Key)(make: => T): T = {
    val entry = entries.computeIfAbsent(key, _ => new Entry(() => make))
    try entry.answer
    catch {
      case error: Throwable =>
        entries.remove(key, entry)
        throw error
    }
  }

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case end: SparkListenerSQLExecutionEnd =>
      entries.keySet.asScala.filter(_.execution == end.executionId).foreach(key => entries.remove(key))
    case _ =>
  }
}

private[shadowvm] object SharedAnswers {
  final case class Key(execution: Long, island: String)

  /** Made by the first who asks; others wait for it. */
  private final class Entry[T](make: () => T) {
    lazy val answer: T = make()
  }
}
