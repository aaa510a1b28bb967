// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, udf}
import org.shadowvm.ShadowReport

/** Islands below operators of Spark. */
abstract class MixedPlanSuite extends ShadowSuite {
  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.udf.register("twice", (n: Long) => n * 2)
  }

  private val perCustomer = "SELECT s_customer, count(*) AS n FROM sales GROUP BY s_customer"
  private val mostActive = perCustomer + " ORDER BY n DESC, s_customer LIMIT 300"

  test("a function of the user above an island") {
    runsInBoth(spark.sql(s"SELECT s_customer, twice(n) FROM ($mostActive)"))
  }

  test("a function of the user among the results of an aggregate leaves that to Spark") {
    runsInSpark("USER_FUNCTION")(spark.sql(s"SELECT s_customer, twice(n) FROM ($perCustomer)"))
  }

  test("an aggregate of Spark above an island") {
    runsInBoth(spark.sql(s"SELECT twice(n) AS m, count(*) FROM ($mostActive) GROUP BY twice(n)"))
  }

  test("a join that relies on how an aggregate's groups are partitioned") {
    withSetting("spark.sql.autoBroadcastJoinThreshold", "-1") {
      runsInSpark("LAYOUT_RELIED_ON")(spark.sql(s"""
        SELECT a.s_customer, a.n, b.m FROM ($perCustomer) a
        JOIN (SELECT s_customer, max(s_id) AS m FROM sales GROUP BY s_customer) b
        ON a.s_customer = b.s_customer AND twice(a.n) <= b.m"""))
    }
  }

  test("a join of Spark with an exchange above each island") {
    withSetting("spark.sql.autoBroadcastJoinThreshold", "-1") {
      val report = runsInBoth(spark.sql(s"""
        SELECT a.s_customer, a.n, b.m FROM ($mostActive) a
        JOIN (SELECT s_customer, s_product, max(s_id) AS m FROM sales GROUP BY s_customer, s_product) b
        ON a.s_customer = b.s_customer AND twice(a.n) <= b.m"""))
      assert(report.operators.exists(operator => operator.name == "SortMergeJoin" && !operator.inNode), report)
    }
  }

  test("a broadcast of Spark above an island") {
    runsInBoth(spark.sql(s"""
      SELECT /*+ BROADCAST(b) */ a.s_id, b.n FROM (SELECT twice(s_id) AS s_id, s_customer FROM sales) a
      JOIN ($perCustomer) b ON a.s_customer = b.s_customer"""))
  }

  test("a window, with its shuffle, above an island") {
    val windowed = s"SELECT s_customer, rank() OVER (PARTITION BY n ORDER BY s_customer) FROM ($perCustomer)"
    val report = runsInBoth(spark.sql(windowed))
    assert(report.operators.exists(operator => operator.name == "Exchange" && !operator.inNode), report)
  }

  test("a repartitioning that the user asks for keeps its partitions") {
    val query = spark.sql(perCustomer).repartition(5)
    assert(query.rdd.getNumPartitions == 5)
    runsInBoth(spark.sql(perCustomer).repartition(5))
  }

  test("a repartitioning stays below what goes row by row") {
    Seq[DataFrame => DataFrame](
      _.withColumn("m", col("n") * 2),
      _.where("n > 0"),
      _.sortWithinPartitions("n"),
      _.where("n > 0").withColumn("m", col("n") * 2).sortWithinPartitions("m")).foreach { above =>
      def query: DataFrame = above(spark.sql(perCustomer).repartition(5))
      assert(query.rdd.getNumPartitions == 5, query)
      val on = query
      ShadowSuite.requireSame(inSparkOnly(query.collect()), on.collect(), ordered = false)
      assert(ShadowReport.of(on).accelerated > 0, ShadowReport.of(on))
    }
    val report = runsInBoth(spark.sql(perCustomer).repartition(5).withColumn("m", col("n") * 2))
    assert(report.reasons.map(_.code).contains("REPARTITION"), report)
  }

  test("rows come range by range where the user asks for ranges, and sorted within") {
    val totals = spark.sql("SELECT s_customer, sum(s_price) AS total FROM sales GROUP BY s_customer")
    val rows = totals.repartitionByRange(4, col("s_customer")).sortWithinPartitions("total").collect().toSeq
    val begins = rows.indices.filter(at => at == 0 || rows(at).getDecimal(1).compareTo(rows(at - 1).getDecimal(1)) < 0)
    val ranges = begins.zip(begins.tail :+ rows.size).map { case (from, to) => rows.slice(from, to).map(_.getInt(0)) }
    assert(rows.size == 500 && ranges.size == 4)
    assert(ranges.zip(ranges.tail).forall { case (range, next) => range.max < next.min }, ranges)
  }

  test("a repartitioning that nobody can see any longer") {
    runsInNode(spark.sql(perCustomer).repartition(5).orderBy("s_customer"))
    runsInNode(spark.table("sales").repartition(5, col("s_customer")).groupBy("s_customer").count())
  }

  test("a subquery that is one value") {
    runsInNode(s"SELECT s_customer, n FROM ($perCustomer) WHERE n > (SELECT avg(s_quantity) FROM sales) - 30")
    val inSpark = runsInBoth(
      spark.sql(s"SELECT s_customer, n FROM ($perCustomer) WHERE n > (SELECT max(twice(s_quantity)) FROM sales) - 190"))
    assert(inSpark.operators.exists(operator => operator.name == "ShadowFilter"), inSpark)
  }

  test("a subquery of no row is null, of two rows an error") {
    def counted(where: String) =
      s"SELECT count(*) FROM sales WHERE s_price > (SELECT s_price FROM sales WHERE $where) OR s_id < 5"
    runsInBoth(spark.sql(counted("s_id < 0")))
    runsInBoth(spark.sql(counted("s_id = 77")))
    def failure = intercept[Exception](spark.sql(counted("s_id IN (77, 78)")).collect()).getMessage
    assert(failure == inSparkOnly(failure))
    assert(failure.contains("SCALAR_SUBQUERY_TOO_MANY_ROWS"), failure)
  }

  test("a Spark function below leaves the query to Spark") {
    val plus = udf((n: Int) => n + 1)
    runsInSpark("USER_FUNCTION")(spark.table("sales").groupBy(plus(col("s_product"))).count())
  }

  test("a lone scan stays with Spark, unless it is asked for") {
    runsInSpark("LITTLE_TO_DO")(spark.sql("SELECT s_id FROM sales WHERE s_quantity > 90"))
    withSetting("spark.shadowvm.scanOnly.enabled", "true") {
      runsInNode("SELECT s_id FROM sales WHERE s_quantity > 90")
    }
  }

  test("the files that rows come from are known to Spark's scans alone") {
    withSetting("spark.shadowvm.scanOnly.enabled", "true") {
      Seq("input_file_name()", "input_file_block_start()", "input_file_block_length()").foreach { file =>
        runsInSpark("LAYOUT_RELIED_ON")(spark.sql(s"SELECT $file, s_id FROM sales WHERE s_quantity > 90"))
      }
      def perFile: DataFrame =
        spark.sql("SELECT input_file_name() AS file, sum(s_price) FROM sales GROUP BY input_file_name()")
      runsInSpark("LAYOUT_RELIED_ON")(perFile)
      assert(perFile.collect().forall(_.getString(0).nonEmpty))
    }
  }

  test("small inputs stay with Spark") {
    withSetting("spark.shadowvm.minBytes", "1g")(runsInSpark("TOO_SMALL")(spark.sql(perCustomer)))
  }

  test("an operator that is switched off") {
    withSetting("spark.shadowvm.operator.HashAggregate.enabled", "false") {
      runsInSpark("SWITCHED_OFF")(spark.sql(perCustomer))
    }
  }
}

class AdaptiveMixedPlanSuite extends MixedPlanSuite

class PlainMixedPlanSuite extends MixedPlanSuite {
  override protected def adaptive: Boolean = false
}
