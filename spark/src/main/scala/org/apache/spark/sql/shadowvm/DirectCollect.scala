// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.{SimpleFutureAction, SparkContext, SparkException, TaskContext}
import org.apache.spark.internal.config.MAX_RESULT_SIZE
import org.apache.spark.util.Utils
import org.shadowvm.node.NodeCancelled

/**
 * Collects without a job, where driver and executor are one JVM. Spark cancels jobs and nothing else, so a query that
 * takes longer than most gets a job that waits beside it: when that job is cancelled, alone, with its group or with all
 * others, so is the query. A thread that is interrupted and a Python program that has gone end it as well.
 */
private[shadowvm] object DirectCollect {

  /** Shorter queries are over before anybody could cancel them; a job costs about ten milliseconds. */
  private val PatienceNanos = 50L * 1000 * 1000

  def apply(context: SparkContext, run: QueryRun, reaping: Reaping): Harvest = {
    val watch = new Watch(context)
    try withinLimit(context, run.collectDirectly(reaping, Caller(attempt = 0, () => watch.cancelled())))
    catch { case cancelled: NodeCancelled => throw watch.error.getOrElse(asSparkSays(cancelled)) }
    finally watch.end()
  }

  /** Spark's own, which guards the driver's memory. */
  private def withinLimit(context: SparkContext, harvest: Harvest): Harvest = {
    val limit = context.conf.get(MAX_RESULT_SIZE)
    if (limit > 0 && harvest.numBytes > limit) {
      throw new SparkException(
        s"The size of a collected result (${Utils.bytesToString(harvest.numBytes)}) is bigger than " +
          s"${MAX_RESULT_SIZE.key} (${Utils.bytesToString(limit)})")
    }
    harvest
  }

  private def asSparkSays(cancelled: NodeCancelled): Throwable =
    if (Thread.interrupted()) new InterruptedException(cancelled.getMessage)
    else new SparkException("Job cancelled: " + cancelled.getMessage)

  private final class Watch(context: SparkContext) {
    private val begin = System.nanoTime()
    private val id = Waiting.begin()
    private val python = PythonCaller.of(context)
    private var job: Option[SimpleFutureAction[Unit]] = None

    def cancelled(): Boolean = {
      if (job.isEmpty && System.nanoTime() - begin > PatienceNanos) job = Some(start())
      Thread.currentThread().isInterrupted || error.isDefined || python.exists(_.hasGone)
    }

    /** Why the job ended, other than by us. */
    def error: Option[Throwable] = job.flatMap(_.value).flatMap(_.failed.toOption)

    def end(): Unit = Waiting.end(id)

    private def start(): SimpleFutureAction[Unit] = {
      val rdd = context.parallelize(Seq(id), 1).setName("ShadowVM direct collect")
      context.submitJob[Long, Unit, Unit](rdd, Waiting.untilEnd, Seq(0), (_, _) => (), ())
    }
  }

  /** The direct collects that are under way in this JVM, for the tasks that wait beside them. */
  private object Waiting {
    private val StepMillis = 10L
    private val lastId = new AtomicLong
    private val current = ConcurrentHashMap.newKeySet[Long]()

    def begin(): Long = {
      val id = lastId.incrementAndGet()
      current.add(id)
      id
    }

    def end(id: Long): Unit = current.remove(id)

    val untilEnd: Iterator[Long] => Unit = ids => {
      val id = ids.next()
      while (current.contains(id)) {
        TaskContext.get().killTaskIfInterrupted()
        Thread.sleep(StepMillis)
      }
    }
  }
}
