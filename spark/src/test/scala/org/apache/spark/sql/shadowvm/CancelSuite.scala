// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.concurrent.atomic.AtomicReference

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._
import scala.util.{Failure, Try}

import org.apache.spark.SparkException
import org.shadowvm.Eventually.eventually
import org.shadowvm.ShadowReport

/** Queries that the user gives up end soon, with Spark's words, and never start over in Spark. */
abstract class CancelSuite extends ShadowSuite {
  private implicit val threads: ExecutionContext = ExecutionContext.global
  private val sql = TestTables.longQuery(TestTables.NumSales)

  /** Cancels a query that the node has begun, and returns how it ended. */
  private def cancelled(cancel: () => Unit): Try[_] = {
    val query = spark.sql(sql)
    assert(ShadowReport.of(query).whole, ShadowReport.of(query))
    val outcome = Future {
      spark.sparkContext.setJobGroup("shadow", "a query to cancel")
      Try(query.collect())
    }
    eventually("a job runs")(spark.sparkContext.statusTracker.getActiveJobIds().nonEmpty)
    eventually("the node runs it")(node.status().getQueriesRunning > 0)
    cancel()
    val end = Await.result(outcome, 120.seconds)
    assert(ShadowReport.of(query).whole, "a cancelled query must not run in Spark")
    eventually("the node has given it up")(node.status().getQueriesRunning == 0)
    end
  }

  private def isCancel(end: Try[_]): Boolean = end match {
    case Failure(error: SparkException) => error.getMessage.toLowerCase.contains("cancelled")
    case _ => false
  }

  test("cancelAllJobs") {
    val end = cancelled(() => spark.sparkContext.cancelAllJobs())
    assert(isCancel(end), end)
  }

  test("cancelJobGroup") {
    val end = cancelled(() => spark.sparkContext.cancelJobGroup("shadow"))
    assert(isCancel(end), end)
  }

  test("the thread that waits is interrupted") {
    val query = spark.sql(sql)
    val end = new AtomicReference[Throwable]
    val waiting = new Thread(() => try query.collect() catch { case error: Throwable => end.set(error) })
    waiting.start()
    eventually("the node runs it")(node.status().getQueriesRunning > 0)
    waiting.interrupt()
    waiting.join(120000)
    assert(!waiting.isAlive && end.get.isInstanceOf[InterruptedException], end.get)
    eventually("the node has given it up")(node.status().getQueriesRunning == 0)
    eventually("Spark, too")(spark.sparkContext.statusTracker.getActiveJobIds().isEmpty)
    assert(ShadowReport.of(query).whole, "an interrupted query must not run in Spark")
  }

  test("the next query runs in the node again") {
    runsInNode("SELECT s_product, sum(s_price) FROM sales GROUP BY s_product")
  }
}

class JobCancelSuite extends CancelSuite

class DirectCancelSuite extends CancelSuite {
  override protected def settings: Map[String, String] = Map("spark.shadowvm.directCollect" -> "true")
}
