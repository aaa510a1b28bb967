// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}

/** The jobs that Spark started, and their tasks. */
final case class JobCount(jobs: Int, tasks: Int)

object JobCount {
  def during(context: SparkContext)(body: => Unit): JobCount = {
    val (jobs, tasks) = (new AtomicInteger, new AtomicInteger)
    val listener = new SparkListener {
      override def onJobStart(start: SparkListenerJobStart): Unit = {
        jobs.incrementAndGet()
        tasks.addAndGet(start.stageInfos.map(_.numTasks).sum)
      }
    }
    context.listenerBus.waitUntilEmpty()
    context.addSparkListener(listener)
    try {
      body
      context.listenerBus.waitUntilEmpty()
    } finally context.removeSparkListener(listener)
    JobCount(jobs.get, tasks.get)
  }
}
