// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.concurrent.ConcurrentHashMap

import scala.collection.JavaConverters._

import org.apache.spark.rdd.RDD
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd

/** The RDDs of islands while their query is executed, so that an island that occurs twice runs once. */
private[shadowvm] final class SharedRDDs extends SparkListener {
  import SharedRDDs._

  private val entries = new ConcurrentHashMap[Key, Entry]

  def of(key: Key)(make: => RDD[InternalRow]): RDD[InternalRow] = {
    val entry = entries.computeIfAbsent(key, _ => new Entry(() => make))
    try entry.rdd
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

private[shadowvm] object SharedRDDs {
  final case class Key(execution: Long, island: String)

  /** Made by the first who asks; others wait for it. */
  private final class Entry(make: () => RDD[InternalRow]) {
    lazy val rdd: RDD[InternalRow] = make()
  }
}
