// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.io.ByteArrayOutputStream
import java.nio.file.Path

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.{BeforeAndAfterAll, BeforeAndAfterEach}
import org.scalatest.funsuite.AnyFunSuite
import org.shadowvm.{ShadowPlugin, ShadowReport, TestFolders, TestProgram}
import org.shadowvm.node.NodeClient

/**
 * Spark with the plugin and a real node. A query runs with the plugin on and off, the rows are compared, and the test
 * says where it must have run.
 */
abstract class ShadowSuite extends AnyFunSuite with BeforeAndAfterAll with BeforeAndAfterEach {
  protected var spark: SparkSession = _
  protected val folder: Path = TestFolders.make()

  protected def master: String = "local[2]"
  protected def adaptive: Boolean = true

  /** What a suite sets beyond the plugin itself. */
  protected def settings: Map[String, String] = Map.empty

  override def beforeAll(): Unit = {
    super.beforeAll()
    val builder = SparkSession
      .builder()
      .master(master)
      .config("spark.plugins", classOf[ShadowPlugin].getName)
      .config("spark.shadowvm.node.path", TestProgram.path.toString)
      .config("spark.shadowvm.memory", "1g")
      .config("spark.shadowvm.minBytes", "0")
      .config("spark.sql.shuffle.partitions", "3")
      .config("spark.sql.adaptive.enabled", adaptive.toString)
      .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString)
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.ui.enabled", "false")
    settings.foreach { case (key, value) => builder.config(key, value) }
    spark = builder.getOrCreate()
    inSparkOnly(TestTables.write(spark, folder))
    TestTables.register(spark, folder)
  }

  override def afterAll(): Unit =
    try spark.stop()
    finally {
      TestFolders.remove(folder)
      super.afterAll()
    }

  protected def inSparkOnly[T](body: => T): T = withSetting("spark.shadowvm.enabled", "false")(body)

  protected def withSetting[T](key: String, value: String)(body: => T): T = {
    val before = spark.conf.getOption(key)
    spark.conf.set(key, value)
    try body
    finally before.fold(spark.conf.unset(key))(spark.conf.set(key, _))
  }

  /** The rows with the plugin on, which must be those without it; and where they came from. */
  protected def compare(query: => DataFrame): ShadowReport = compareTo(inSparkOnly(query.collect()), query)

  /** The same, where plain Spark's rows are known. */
  protected def compareTo(expected: Array[Row], query: => DataFrame): ShadowReport = {
    val on = query
    val actual = on.collect()
    ShadowSuite.requireSame(expected, actual, ShadowSuite.isOrdered(on))
    ShadowReport.of(on)
  }

  protected def compare(sql: String): ShadowReport = compare(spark.sql(sql))

  protected def runsInNode(sql: String): Unit = runsInNode(spark.sql(sql))

  protected def runsInNode(query: => DataFrame): Unit = {
    val report = compare(query)
    assert(report.whole, s"not all of it ran in the node:\n$report")
  }

  protected def runsInBoth(query: => DataFrame): ShadowReport = {
    val report = compare(query)
    assert(report.accelerated > 0 && !report.whole, s"it should run partly in the node:\n$report")
    report
  }

  /** For a reason with this code. */
  protected def runsInSpark(code: String)(query: => DataFrame): Unit = {
    val report = compare(query)
    assert(report.accelerated == 0, s"nothing of it should run in the node:\n$report")
    assert(report.reasons.map(_.code).contains(code), s"the reason should be $code:\n$report")
  }

  /** What explain() prints. */
  protected def explained(query: DataFrame): String = {
    val text = new ByteArrayOutputStream
    Console.withOut(text)(query.explain())
    text.toString("UTF-8")
  }

  protected def node: NodeClient =
    ShadowRuntime.of(spark.sparkContext).get.nodes.client().fold(why => fail(s"there is no node: $why"), identity)
}

object ShadowSuite {

  def requireSame(expected: Array[Row], actual: Array[Row], ordered: Boolean): Unit = {
    def arranged(rows: Array[Row]): Seq[String] = {
      val texts = rows.map(_.toString).toSeq
      if (ordered) texts else texts.sorted
    }
    val (left, right) = (arranged(expected), arranged(actual))
    if (left != right) {
      val at = left.zipAll(right, "(none)", "(none)").indexWhere { case (l, r) => l != r }
      throw new AssertionError(
        s"rows differ (Spark has ${left.size}, the node ${right.size}); the first at $at: " +
          s"${left.lift(at).getOrElse("(none)")} and ${right.lift(at).getOrElse("(none)")}")
    }
  }

  /** The query says in which order its rows come. */
  def isOrdered(query: DataFrame): Boolean = SparkShim.execution(query).optimizedPlan.outputOrdering.nonEmpty
}
