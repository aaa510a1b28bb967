// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.execution.metric.SQLMetric
import org.shadowvm.Eventually.eventually

/** How a node runs queries, as settings say it and metrics tell it. */
class ExecutionSuite extends ShadowSuite {
  private val sql = "SELECT s_product, sum(s_price) FROM sales GROUP BY s_product"

  private def metricsAfter(sql: String): (Map[String, SQLMetric], Map[String, SQLMetric]) = {
    val query = spark.sql(sql)
    query.collect()
    val root = ExecutedPlan.of(query).collectFirst { case result: ShadowResultExec => result }.get
    (root.metrics, root.child.collectFirst { case scan: ShadowScanExec => scan.metrics }.get)
  }

  test("partitions: the units of work that a scan is cut into") {
    spark.sql(sql).collect()
    val few = metricsAfter(sql)._2("partitions").value
    withSetting("spark.shadowvm.partitions", "5") {
      val (_, scan) = metricsAfter(sql)
      assert(few < 5 && scan("partitions").value >= 5 && scan("rowsIn").value == TestTables.NumSales)
      runsInNode(sql)
    }
  }

  test("which processor worked") {
    val (result, scan) = metricsAfter(sql)
    Seq(result, scan).foreach { metrics =>
      assert(metrics("rowsOnCpu").value == TestTables.NumSales)
      assert(metrics("rowsOnGpu").value == 0 && metrics("gpuShare").value == 0)
    }
  }

  test("a GPU that is not there is said once, and the CPU works") {
    val lines = LogLines.of(classOf[DeviceLog]) {
      Seq("gpu", "mixed", "gpu").foreach(mode => withSetting("spark.shadowvm.mode", mode)(runsInNode(sql)))
    }
    assert(lines.size == 1 && lines.head.contains("spark.shadowvm.mode") && lines.head.contains("GPU"), lines)
    assert(metricsAfter(sql)._1("rowsOnCpu").value == TestTables.NumSales)
  }

  test("an answer too large for a message, through every door") {
    val large = "SELECT s_id, s_note, c_name, c_region FROM sales JOIN customers ON s_customer = c_id"
    runsInNode(large)
    runsInNode(large + " ORDER BY s_id")
    val expected = inSparkOnly(spark.sql(large).rdd.map(_.toString).collect().sorted.toSeq)
    assert(expected.map(_.length).sum > (256 << 10))
    assert(spark.sql(large).rdd.map(_.toString).collect().sorted.toSeq == expected)
    withSetting("spark.shadowvm.directCollect", "true")(runsInNode(large))
    eventually("nothing of it stays in shared memory")(node.status().getSharedBytes == 0)
  }

  test("files of other partitions are not read: keys that are texts, and lists of them") {
    val table = folder.resolve("by_note").toString
    inSparkOnly(spark.table("sales").na.drop(Seq("s_note")).write.partitionBy("s_note").parquet(table))
    spark.read.parquet(table).createOrReplaceTempView("by_note")
    def rowsRead(filter: String): Long = {
      val query = s"SELECT s_product, sum(s_price) FROM by_note WHERE $filter GROUP BY s_product"
      runsInNode(query)
      metricsAfter(query)._2("rowsIn").value
    }
    def rowsOf(filter: String): Long = inSparkOnly(spark.sql(s"SELECT * FROM by_note WHERE $filter").count())
    Seq("s_note = 'note 3'", "s_note IN ('note 1', 'note 17', 'none')", "s_note LIKE '%9'").foreach { filter =>
      assert(rowsRead(filter) == rowsOf(filter), filter)
    }
  }
}
