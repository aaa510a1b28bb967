// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.lang.reflect.{Method, Modifier}
import java.nio.file.Files

import scala.collection.JavaConverters._

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.shadowvm.{ShadowReport, TestFolders, TestProgram}
import org.shadowvm.proto.v1.{Command, FillMetrics, Mode, PipelineInfo, PipelineMetrics, QueryMetrics, SortMetrics}

/** What users see of a query: plans, reports, logs, metrics, recorded commands. */
class ExplainSuite extends ShadowSuite {
  private val joined = """
    SELECT c_region, sum(s_price) AS total FROM sales JOIN customers ON s_customer = c_id
    WHERE s_quantity > 10 GROUP BY c_region ORDER BY c_region"""

  test("explain shows every operator of the node") {
    val plan = SparkShim.execution(spark.sql(joined)).executedPlan.toString
    Seq("ShadowResult", "ShadowHashAggregate", "ShadowBroadcastHashJoin", "ShadowFileScan", "ShadowSort").foreach { name =>
      assert(plan.contains(name), s"$name is missing in\n$plan")
    }
  }

  private def explained(sql: String): String = explained(spark.sql(sql))

  test("explain() says how much runs in the node, and why not more") {
    spark.udf.register("plain", (text: String) => text.trim)
    val whole = explained(joined)
    val total = ShadowReport.of(spark.sql(joined)).total
    assert(whole.contains(s"accelerated $total of $total operators"), whole)
    val mixed = "SELECT plain(c_region) FROM (SELECT DISTINCT c_region FROM customers)"
    val report = ShadowReport.of(spark.sql(mixed))
    assert(explained(mixed).contains(report.summary) && explained(mixed).contains("[USER_FUNCTION]"), explained(mixed))
    val none = "SELECT s_id FROM sales WHERE s_quantity > 50"
    assert(explained(none).contains("accelerated 0 of") && explained(none).contains("[LITTLE_TO_DO]"), explained(none))
  }

  test("the formatted explain() says it, too") {
    val mode = org.apache.spark.sql.execution.ExplainMode.fromString("formatted")
    val text = SparkShim.execution(spark.sql("SELECT s_id FROM sales WHERE s_quantity > 50")).explainString(mode)
    assert(text.contains("accelerated 0 of") && text.contains("[LITTLE_TO_DO]"), text)
  }

  test("the line on top hands on whatever Spark asks a plan for") {
    def closed(method: Method): Boolean =
      (method.getModifiers & (Modifier.FINAL | Modifier.STATIC | Modifier.PRIVATE)) != 0
    val asked = classOf[SparkPlan].getDeclaredMethods.filterNot(closed).map(_.getName)
      .filter(name => name.startsWith("execute") || name.startsWith("doExecute")).toSet
    val own = classOf[ShadowReportExec].getDeclaredMethods.map(_.getName).toSet
    assert(asked.size > 8)
    // It calls doExecuteWrite.
    assert((asked -- own) == Set("executeWrite"))
  }

  test("the report counts operators and gives reasons") {
    val whole = ShadowReport.of(spark.sql(joined))
    assert(whole.summary == s"accelerated ${whole.total} of ${whole.total} operators")
    spark.udf.register("plain", (text: String) => text.trim)
    val mixed = ShadowReport.of(spark.sql("SELECT plain(c_region) FROM (SELECT DISTINCT c_region FROM customers)"))
    assert(mixed.reasonCodes.contains("USER_FUNCTION"), mixed)
    assert(mixed.text.contains("[USER_FUNCTION]") && mixed.fallbackText.linesIterator.size == mixed.total - mixed.accelerated)
  }

  test("the log says what stays with Spark, where it is asked for") {
    val lines = LogLines.of(classOf[ExplainLog]) {
      withSetting("spark.shadowvm.explain", "FALLBACK") {
        SparkShim.execution(spark.sql("SELECT s_id FROM sales")).executedPlan
      }
    }
    assert(lines.exists(line => line.contains("accelerated 0 of") && line.contains("LITTLE_TO_DO")), lines)
    val silent = LogLines.of(classOf[ExplainLog])(SparkShim.execution(spark.sql("SELECT s_id FROM sales")).executedPlan)
    assert(silent.isEmpty)
  }

  test("a query is said once") {
    val target = folder.resolve("said-once").toString
    spark.udf.register("plain", (text: String) => text.trim)
    val mixed = "SELECT plain(c_region) AS region, count(*) AS n FROM customers GROUP BY plain(c_region)"
    Seq[DataFrame => Any](_.collect(), _.write.parquet(target)).foreach { door =>
      Seq(joined, mixed).foreach { sql =>
        val lines = LogLines.of(classOf[ExplainLog])(withSetting("spark.shadowvm.explain", "ALL")(door(spark.sql(sql))))
        assert(lines.count(_.contains("accelerated")) == 1, lines)
        TestFolders.remove(folder.resolve("said-once"))
      }
    }
  }

  test("what has run says where, what was predicted and what it took") {
    val lines = LogLines.of(classOf[ExplainLog]) {
      withSetting("spark.shadowvm.explain", "ALL")(spark.sql(joined).collect())
    }
    val ran = lines.filter(_.contains("ShadowVM ran query"))
    assert(ran.size == 1 && ran.head.linesIterator.size > 2, lines)
    assert(ran.head.linesIterator.drop(1).forall(line => line.contains(": cpu, took ") && line.endsWith(" ms")), ran)
    val placed = PipelineMetrics.newBuilder().setIndex(1).setMilliseconds(9).setMode(Mode.MODE_MIXED).setPredictedMs(1.5)
      .setRealMs(2).setReason("both at once are predicted to be fastest")
    val info = PipelineInfo.newBuilder().setIndex(1).setLabel("scan of sales").build()
    assert(PipelineText.of(Seq(info), QueryMetrics.newBuilder().addPipelines(placed).build()) == Seq(
      "  1 scan of sales: cpu and gpu, predicted 1.500 ms, took 2.000 ms, both at once are predicted to be fastest"))
    val sort = SortMetrics.newBuilder().setMode(Mode.MODE_GPU).setRows(7).setPredictedMs(3).setRealMs(4).setReason("so")
    val fill = FillMetrics.newBuilder().setBuild("parts").setMode(Mode.MODE_CPU).setRows(5).setPredictedMs(1).setRealMs(2)
    val parts = placed.clone().clearReason().setSort(sort).addFills(fill)
    assert(PipelineText.of(Seq(info), QueryMetrics.newBuilder().addPipelines(parts).build()) == Seq(
      "  1 scan of sales: cpu and gpu, predicted 1.500 ms, took 2.000 ms",
      "    parts: hash table of 5 rows: cpu, predicted 1.000 ms, took 2.000 ms",
      "    sort of 7 rows: gpu, predicted 3.000 ms, took 4.000 ms, so"))
  }

  test("explain() and the report say it, too, of a query that has run") {
    spark.udf.register("plain", (text: String) => text.trim)
    val mixed = "SELECT plain(c_region), count(*) FROM (SELECT DISTINCT c_region FROM customers) GROUP BY 1"
    val nested = "SELECT s_product, count(*) FROM sales WHERE s_id < (SELECT avg(s_quantity) FROM sales) GROUP BY 1"
    for ((sql, numIslands) <- Seq(joined -> 1, mixed -> 1, nested -> 2)) {
      val query = spark.sql(sql)
      assert(!explained(query).contains("ran: ") && ShadowReport.of(query).ran.isEmpty)
      query.collect()
      val report = ShadowReport.of(query)
      val (heads, lines) = report.ran.partition(_.startsWith("ran query "))
      assert(heads.size == numIslands && lines.size > numIslands && lines.forall(Ran.of(_).isDefined), report)
      val text = explained(query)
      assert(heads.forall(head => text.contains(s"query=${head.stripPrefix("ran query ")}")), text)
      assert(lines.forall(line => text.contains(line.trim)), text)
    }
  }

  test("explainOnly runs in Spark what would run in the node") {
    withSetting("spark.shadowvm.explainOnly", "true")(runsInSpark("EXPLAIN_ONLY")(spark.sql(joined)))
  }

  test("metrics of the query and of its operators") {
    val query = spark.sql(joined)
    val rows = query.collect().length
    val root = ExecutedPlan.of(query).collectFirst { case result: ShadowResultExec => result }.get
    assert(root.metrics("numOutputRows").value == rows)
    assert(root.metrics("segmentsRun").value > 0)
    val scans = root.child.collect { case scan: ShadowScanExec => scan }
    assert(scans.map(_.metrics("rowsIn").value).max == TestTables.NumSales)
  }

  test("the plan keeps its logical links") {
    val root = ExecutedPlan.of(spark.sql(joined)).collectFirst { case result: ShadowResultExec => result }.get
    assert(root.logicalLink.isDefined)
  }

  test("commands are recorded, once each") {
    val commands = folder.resolve("commands")
    withSetting("spark.shadowvm.record.dir", commands.toString) {
      spark.sql(joined).collect()
      spark.sql(joined).collect()
    }
    val files = Files.list(commands).iterator().asScala.toList
    assert(files.size == 1 && files.head.toString.endsWith(".pb"))
    assert(Command.parseFrom(Files.readAllBytes(files.head)).getActionsCount > 3)
    val replay = new ProcessBuilder(TestProgram.path.toString, "replay", files.head.toString).redirectErrorStream(true)
    val process = replay.start()
    val text = new String(process.getInputStream.readAllBytes(), "UTF-8")
    assert(process.waitFor() == 0, text)
  }

  test("a setting of a wrong type is named") {
    withSetting("spark.shadowvm.minBytes", "many") {
      val error = intercept[Exception](spark.sql(joined).collect())
      assert(error.getMessage.contains("spark.shadowvm.minBytes"), error)
    }
  }

  test("an unknown setting is warned of when a query is planned, once") {
    val lines = LogLines.of(classOf[SessionSettings]) {
      Seq("spark.shadowvm.partition", "spark.shadowvm.operator.Filtr.enabled").foreach { key =>
        withSetting(key, "true")((1 to 2).foreach(_ => spark.sql(joined).collect()))
      }
    }
    assert(lines.size == 2, lines)
    assert(lines.exists(_.endsWith("did you mean spark.shadowvm.operator.Filter.enabled?")), lines)
  }

  test("a setting of a wrong type is corrected in SQL") {
    Seq("SET spark.shadowvm.partitions=2", "RESET spark.shadowvm.partitions").foreach { correction =>
      try {
        spark.sql("SET spark.shadowvm.partitions=few")
        intercept[Exception](spark.sql(joined).collect())
        spark.sql("SHOW TABLES").collect()
        spark.sql(correction).collect()
        runsInNode(joined)
      } finally spark.conf.unset("spark.shadowvm.partitions")
    }
  }
}
