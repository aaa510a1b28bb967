// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.AtomicReference

import scala.concurrent.Await
import scala.concurrent.duration._

import org.apache.spark.{SimpleFutureAction, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD

/**
 * A job of one task, like SparkContext.runJob, that does not outlive whoever waits for it: a thread that is interrupted
 * and a Python program that was stopped by Ctrl-C take it along. Spark's own would go on, and its task would have the
 * node run the query to its end.
 */
private[shadowvm] object CallerJob {
  private val Glance = 100.millis

  def run[T, U](context: SparkContext, rdd: RDD[T], task: (TaskContext, Iterator[T]) => U): U = {
    val result = new AtomicReference[U]
    val caller = PythonCaller.of(context)
    val inTask = (rows: Iterator[T]) => task(TaskContext.get(), rows)
    val job = context.submitJob[T, U, Unit](rdd, inTask, Seq(0), (_, value) => result.set(value), ())
    try await(job, caller)
    finally context.progressBar.foreach(_.finishAll())
    result.get
  }

  private def await(job: SimpleFutureAction[Unit], caller: Option[PythonCaller]): Unit =
    try {
      while (!endsSoon(job, caller)) if (caller.exists(_.hasGone)) job.cancel()
      job.value.get.get
    } catch {
      case interrupted: InterruptedException =>
        job.cancel()
        throw interrupted
    }

  private def endsSoon(job: SimpleFutureAction[Unit], caller: Option[PythonCaller]): Boolean =
    try {
      Await.ready(job, if (caller.isEmpty) Duration.Inf else Glance)
      true
    } catch { case _: TimeoutException => false }
}
