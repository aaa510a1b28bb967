// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._

import org.apache.spark.SparkException
import org.apache.spark.sql.{DataFrame, Row}
import org.shadowvm.Eventually.eventually
import org.shadowvm.{ProgramGate, ShadowReport, TestFolders}
import org.shadowvm.node.NodeAway

/** A node that fails costs nobody a query. */
class FallbackSuite extends ShadowSuite {
  private implicit val threads: ExecutionContext = ExecutionContext.global
  private val gate = new ProgramGate

  override protected def settings: Map[String, String] = Map("spark.shadowvm.node.path" -> gate.program.toString)

  private val sql = "SELECT s_product, sum(s_price) FROM sales GROUP BY s_product ORDER BY s_product"

  private val large = "SELECT s_id, s_note, s_day, sum(s_price) FROM sales GROUP BY s_id, s_note, s_day"

  private def expected: Seq[Row] = inSparkOnly(spark.sql(sql).collect().toSeq)

  override def beforeEach(): Unit = {
    super.beforeEach()
    eventually("the node is back")(ShadowRuntime.of(spark.sparkContext).get.nodes.client().isRight)
  }

  /** Planned for the node, which is killed before the query runs. */
  private def afterKill[T](door: DataFrame => T): (T, ShadowReport) = {
    val query = spark.sql(sql)
    assert(ShadowReport.of(query).whole, ShadowReport.of(query))
    val outcome = withoutNode(door(query))
    (outcome, ShadowReport.of(query))
  }

  /** It is killed, and does not come back before the end. */
  private def withoutNode[T](body: => T): T = gate.whileShut {
    NodeSignals.kill(node)
    body
  }

  private def fellBack(door: DataFrame => Seq[Row]): Unit = {
    val rows = expected
    val (actual, report) = afterKill(door)
    assert(actual == rows)
    assert(report.accelerated == 0, report)
    assert(report.operators.forall(_.reasons.map(_.code) == Seq("FELL_BACK")), report)
  }

  test("killed before collect")(fellBack(_.collect().toSeq))

  test("killed before a query with a subquery") {
    val expensive = "SELECT count(*) FROM sales WHERE s_price > (SELECT max(s_price) - 40 FROM sales)"
    val rows = inSparkOnly(spark.sql(expensive).collect().toSeq)
    val query = spark.sql(expensive)
    assert(ShadowReport.of(query).whole, ShadowReport.of(query))
    assert(withoutNode(query.collect().toSeq) == rows)
    assert(ShadowReport.of(query).reasons.exists(_.code == "FELL_BACK"), ShadowReport.of(query))
  }

  test("killed before take, which asks for rows in another way") {
    val rows = expected.take(3)
    assert(afterKill(_.take(3).toSeq)._1 == rows)
  }

  test("killed before tail")(assert(afterKill(_.tail(2).toSeq)._1 == expected.takeRight(2)))

  test("killed before toLocalIterator") {
    import scala.collection.JavaConverters._
    fellBack(_.toLocalIterator().asScala.toSeq)
  }

  test("killed before a write") {
    val target = folder.resolve("after-kill").toString
    afterKill(_.write.mode("overwrite").parquet(target))
    assert(inSparkOnly(spark.read.parquet(target).orderBy("s_product").collect().toSeq) == expected)
  }

  test("killed after a large answer was complete, before its rows were asked for") {
    val expected = inSparkOnly(spark.sql(large).rdd.map(_.toString).collect().toSeq.sorted)
    val rows = spark.sql(large).rdd
    assert(rows.getNumPartitions == 1)
    NodeSignals.kill(node)
    assert(rows.map(_.toString).collect().toSeq.sorted == expected)
  }

  test("killed while it runs") {
    val long = TestTables.longQuery(numSales = 1000)
    val rows = inSparkOnly(spark.sql(long).collect().toSeq)
    val query = spark.sql(long)
    assert(ShadowReport.of(query).whole, ShadowReport.of(query))
    val collected = Future(query.collect().toSeq)
    eventually("the node runs it")(node.status().getQueriesRunning > 0)
    assert(withoutNode(Await.result(collected, 240.seconds)) == rows)
    assert(ShadowReport.of(query).accelerated == 0)
  }

  test("it comes back and is used again") {
    NodeSignals.kill(node)
    spark.sql(sql).collect()
    eventually("the node is used again")(compare(spark.sql(sql)).whole)
  }

  test("without fallback the failure is the user's to see") {
    withSetting("spark.shadowvm.fallback.runtime.enabled", "false") {
      val error = intercept[Exception](afterKill(_.collect()))
      assert(NodeFailures.in(error).exists(_.isInstanceOf[NodeAway]), error)
    }
  }

  test("an error of the query is Spark's error, with Spark's words") {
    withSetting("spark.sql.ansi.enabled", "true") {
      val overflow = "SELECT s_product, sum(p_big * 1000) FROM sales JOIN products ON s_product = p_id GROUP BY s_product"
      val inSpark = inSparkOnly(intercept[Exception](spark.sql(overflow).collect()))
      val query = spark.sql(overflow)
      assert(ShadowReport.of(query).whole, ShadowReport.of(query))
      val inNode = intercept[Exception](query.collect())
      assert(firstLine(inNode) == firstLine(inSpark))
      assert(NodeFailures.in(inNode).isEmpty)
    }
  }

  test("a file that is gone between planning and running") {
    val table = folder.resolve("vanishing").toString
    inSparkOnly(spark.table("sales").write.mode("overwrite").parquet(table))
    val query = spark.read.parquet(table).groupBy("s_product").count()
    assert(ShadowReport.of(query).whole, ShadowReport.of(query))
    TestFolders.remove(folder.resolve("vanishing"))
    val error = intercept[SparkException](query.collect())
    assert(NodeFailures.in(error).isEmpty && error.getMessage.nonEmpty)
  }

  private def firstLine(error: Throwable): String = {
    val root = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq.last
    root.getMessage.linesIterator.next()
  }
}

/** A node that holds still is given up after the time that is set for it. */
class HungNodeSuite extends ShadowSuite {
  private implicit val threads: ExecutionContext = ExecutionContext.global
  private val sql = "SELECT s_product, sum(s_price) FROM sales GROUP BY s_product ORDER BY s_product"

  override protected def settings: Map[String, String] = Map("spark.shadowvm.node.timeout" -> "5s")

  override def beforeEach(): Unit = {
    super.beforeEach()
    eventually("the node is there")(ShadowRuntime.of(spark.sparkContext).get.nodes.client().isRight)
  }

  private def saysTheLimit(lines: Seq[String]): Boolean = lines.exists(_.contains("5000 ms"))

  test("stopped before a query runs") {
    val rows = inSparkOnly(spark.sql(sql).collect().toSeq)
    val query = spark.sql(sql)
    assert(ShadowReport.of(query).whole)
    val lines = LogLines.of(classOf[IslandExecution]) {
      NodeSignals.whileStopped(node)(_ => assert(query.collect().toSeq == rows))
    }
    assert(ShadowReport.of(query).accelerated == 0)
    assert(saysTheLimit(lines), lines)
  }

  test("stopped while a query runs") {
    val long = TestTables.longQuery(numSales = 1000)
    val rows = inSparkOnly(spark.sql(long).collect().toSeq)
    val query = spark.sql(long)
    val lines = LogLines.of(classOf[IslandExecution]) {
      val collected = Future(query.collect().toSeq)
      eventually("the node runs it")(node.status().getQueriesRunning > 0)
      NodeSignals.whileStopped(node)(_ => assert(Await.result(collected, 240.seconds) == rows))
    }
    assert(ShadowReport.of(query).accelerated == 0)
    assert(saysTheLimit(lines), lines)
  }

  test("stopped after a large answer was complete, before its rows were asked for") {
    val large = "SELECT s_id, s_note, s_day, sum(s_price) FROM sales GROUP BY s_id, s_note, s_day"
    val expected = inSparkOnly(spark.sql(large).rdd.map(_.toString).collect().toSeq.sorted)
    val rows = spark.sql(large).rdd
    assert(rows.getNumPartitions == 1)
    NodeSignals.whileStopped(node)(_ => assert(rows.map(_.toString).collect().toSeq.sorted == expected))
  }

  test("stopped before a query is planned") {
    NodeSignals.whileStopped(node)(_ => assert(compare(spark.sql(sql + " LIMIT 3")).accelerated == 0))
  }

  test("it is used again") {
    eventually("the node is used again")(compare(spark.sql(sql)).whole)
  }
}

/** Several attempts of a task: Spark tries again before the driver falls back. */
class RetrySuite extends ShadowSuite {
  override protected def master: String = "local[2,4]"

  test("a query goes on when the node is killed again and again") {
    val sql = "SELECT s_customer, count(*) FROM sales GROUP BY s_customer"
    val expected = inSparkOnly(spark.sql(sql).collect())
    (1 to 3).foreach { _ =>
      ShadowRuntime.of(spark.sparkContext).get.nodes.client().foreach(NodeSignals.kill)
      ShadowSuite.requireSame(expected, spark.sql(sql).collect(), ordered = false)
    }
  }
}

/** No node, no harm. */
class NoNodeSuite extends ShadowSuite {
  override protected def settings: Map[String, String] = Map("spark.shadowvm.node.autostart" -> "false")

  test("queries run in Spark, and say why") {
    runsInSpark("NO_NODE")(spark.sql("SELECT s_product, count(*) FROM sales GROUP BY s_product"))
  }

  test("what would run in a node can be told without one") {
    withSetting("spark.shadowvm.explainOnly", "true") {
      runsInSpark("EXPLAIN_ONLY")(spark.sql("SELECT s_product, count(*) FROM sales GROUP BY s_product"))
    }
  }
}
