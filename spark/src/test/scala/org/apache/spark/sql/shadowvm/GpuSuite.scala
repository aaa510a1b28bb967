// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.DataFrame
import org.shadowvm.ShadowReport

/** What users see of a GPU: rows by processor, and for each pipeline where it ran, why, and how long it took. */
class GpuSuite extends ShadowSuite with EmulatedGpu {
  private val joined = """
    SELECT c_region, sum(s_price) AS total FROM sales JOIN customers ON s_customer = c_id
    WHERE s_quantity > 10 GROUP BY c_region ORDER BY c_region"""

  private def afterRun(sql: String): DataFrame = {
    val query = spark.sql(sql)
    query.collect()
    query
  }

  /** Rows of the largest scan on cores, rows of it on the GPU, and the GPU's share. */
  private def places(sql: String): (Long, Long, Long) = {
    val scans = ExecutedPlan.of(afterRun(sql)).collect { case scan: ShadowScanExec => scan.metrics }
    val largest = scans.maxBy(_("rowsIn").value)
    (largest("rowsOnCpu").value, largest("rowsOnGpu").value, largest("gpuShare").value)
  }

  test("the mode says who works") {
    assert(node.noGpu().isEmpty)
    inMode("gpu")(assert(places(joined) == (0, TestTables.NumSales, 100)))
    inMode("cpu")(assert(places(joined) == (TestTables.NumSales, 0, 0)))
    inMode("mixed")(withSetting("spark.shadowvm.partitions", "8") {
      val (onCpu, onGpu, share) = places(joined)
      assert(onCpu + onGpu == TestTables.NumSales && onCpu > 0 && onGpu > 0 && 0 < share && share < 100, (onCpu, onGpu))
    })
  }

  test("the log says where pipelines ran, why, and the predicted and the real time") {
    def logged(mode: String): Seq[Ran] = {
      val lines = LogLines.of(classOf[ExplainLog]) {
        withSetting("spark.shadowvm.explain", "ALL")(inMode(mode)(afterRun(joined)))
      }
      val ran = lines.filter(_.contains("ShadowVM ran query"))
      assert(ran.size == 1, lines)
      val pipelines = ran.head.linesIterator.drop(1).toSeq
      assert(pipelines.size == 4 && pipelines.forall(Ran.of(_).isDefined), lines)
      pipelines.flatMap(Ran.of)
    }
    runsInNode(joined) // its rows are in memory from now on, and its build side is kept
    for ((mode, device) <- Seq("gpu" -> "gpu", "mixed" -> "cpu and gpu")) {
      val chosen = logged(mode).filter(_.device != "cpu")
      assert(chosen.map(_.device) == Seq(device) && chosen.forall(ran => ran.what.contains("sales") && ran.isPredicted))
    }
    val chosen = logged("auto").filter(_.what.contains("sales"))
    assert(chosen.size == 1 && chosen.forall(ran => ran.reason.isDefined && ran.isPredicted), chosen)
  }

  test("explain() and the report say it, once a query has run") {
    val query = inMode("gpu")(afterRun(joined))
    val scan = ShadowReport.of(query).ran.filter(_.contains("sales"))
    assert(scan.size == 1 && Ran.of(scan.head).exists(ran => ran.device == "gpu" && ran.isPredicted), scan)
    assert(explained(query).contains(scan.head.trim), explained(query))
  }

  test("the GPU sorts, and fills the hash tables of joins, where these are large") {
    val wide = folder.resolve("wide").toString
    inSparkOnly(spark.range(280000).selectExpr("id * 1000003 % 700000001 AS k", "id AS v").write.parquet(wide))
    spark.read.parquet(wide).createOrReplaceTempView("wide")
    def runsOnGpu(what: String)(sql: String): Unit = {
      val expected = inSparkOnly(spark.sql(sql).collect())
      val query = spark.sql(sql)
      ShadowSuite.requireSame(expected, inMode("gpu")(query.collect()), ShadowSuite.isOrdered(query))
      val report = ShadowReport.of(query)
      assert(report.ran.flatMap(Ran.of).exists(ran => ran.what.contains(what) && ran.device == "gpu"), report)
    }
    runsOnGpu("sort of 280000 rows")("SELECT k, v FROM wide ORDER BY k")
    runsOnGpu("hash table of 280000 rows")("SELECT count(*), sum(a.v - b.v) FROM wide a JOIN wide b ON a.k = b.k")
  }
}
