// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.vrdd

import java.nio.file.Files

import org.apache.spark.sql.Row
import org.apache.spark.sql.shadowvm.{JobCount, ShadowSuite}
import org.apache.spark.sql.types.{DecimalType, IntegerType, LongType, StringType}
import org.shadowvm.TestProgram
import org.shadowvm.node.NodeFailure
import org.shadowvm.proto.v1.ErrorClass
import org.shadowvm.vrdd.functions._

/** Queries written by hand, in a real node, against the same in Spark's SQL without the plugin. */
class VrddSuite extends ShadowSuite {
  private lazy val session = Shadow.session(spark)
  private def sales: Frame = session.scan(folder.resolve("sales").toString)
  private def customers: Frame = session.scan(folder.resolve("customers").toString)
  private def ssb(table: String): Frame = session.scan(TestProgram.ssb.resolve(s"$table.parquet").toString)

  override def beforeAll(): Unit = {
    super.beforeAll()
    Seq("lineorder", "part", "supplier", "date").foreach { table =>
      spark.read.parquet(TestProgram.ssb.resolve(s"$table.parquet").toString).createOrReplaceTempView(table)
    }
  }

  private def expect(sql: String)(rows: => Array[Row]): Unit = {
    val query = spark.sql(sql)
    val expected = inSparkOnly(query.collect())
    assert(expected.nonEmpty)
    val before = node.status().getQueriesDone
    ShadowSuite.requireSame(expected, rows, ShadowSuite.isOrdered(query))
    assert(node.status().getQueriesDone == before + 1)
  }

  private def expect(sql: String, frame: Frame): Unit = expect(sql)(frame.collect())

  test("SSB 1.1") {
    expect("""SELECT sum(lo_extendedprice * lo_discount) FROM lineorder, date WHERE lo_orderdate = d_datekey
      AND d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25""",
      ssb("lineorder")
        .filter(col("lo_discount").between(1, 3) && col("lo_quantity") < 25)
        .join(ssb("date").filter(col("d_year") === 1993), on("lo_orderdate", "d_datekey"))
        .agg(sum(col("lo_extendedprice") * col("lo_discount")).as("revenue")))
  }

  test("SSB 2.1, the example") {
    expect("""SELECT d_year, p_brand1, sum(lo_revenue) FROM lineorder, date, part, supplier
      WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
      AND p_category = 'MFGR#12' AND s_region = 'AMERICA'
      GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1""") {
      BrandRevenue(spark, TestProgram.ssb.toString)
    }
  }

  test("map: arithmetic, casts, cases, dates, nulls") {
    expect("""SELECT s_id, -s_quantity + 1, s_quantity / 7, s_quantity % 7, s_price * 2, CAST(s_quantity AS BIGINT),
      CASE WHEN s_quantity < 10 THEN 'few' WHEN s_quantity IS NULL THEN 'none' ELSE 'many' END,
      CASE WHEN s_quantity > 90 THEN s_note END, year(s_day), month(s_day), day(s_day), coalesce(s_quantity, -1),
      if(s_id = 5, 1L, 2L), CAST(NULL AS STRING), DATE'2024-02-29', 12.50 FROM sales""",
      sales.map("s_id", -col("s_quantity") + 1, col("s_quantity") / 7, col("s_quantity") % 7, col("s_price") * 2,
        col("s_quantity").cast(LongType),
        when(col("s_quantity") < 10, "few").when(col("s_quantity").isNull, "none").otherwise("many").as("case"),
        when(col("s_quantity") > 90, col("s_note")).end,
        year(col("s_day")), month(col("s_day")), day(col("s_day")), coalesce(col("s_quantity"), -1),
        ifElse(col("s_id") === 5L, 1L, 2L).as("if"), nullLit(StringType).as("no text"),
        dateLit(2024, 2, 29).as("leap"), decimalLit(1250, 4, 2).as("price")))
  }

  test("filters") {
    expect("""SELECT s_id FROM sales WHERE s_note LIKE 'note 1%' AND s_note NOT LIKE '%9' AND NOT s_customer IN (1, 2)
      AND (s_quantity <=> NULL OR s_quantity >= 50) AND s_product <> 3 AND s_day > DATE'2024-03-01'
      AND s_price <= 50.25 AND s_quantity + s_product NOT IN (60, 61)""",
      sales.filter(col("s_note").like("note 1%") && col("s_note").notLike("%9") && !col("s_customer").in(1, 2))
        .filter(col("s_quantity") <=> nullLit(IntegerType) || col("s_quantity") >= 50)
        .filter(col("s_product") =!= 3 && col("s_day") > java.sql.Date.valueOf("2024-03-01"))
        .filter(col("s_price") <= BigDecimal("50.25") && (col("s_quantity") + col("s_product")).notIn(60, 61))
        .select("s_id"))
    expect("""SELECT count(*) FROM sales
      WHERE startswith(s_note, 'note') AND endswith(s_note, '7') AND contains(s_note, ' 1') AND s_note IS NOT NULL""",
      sales.filter(col("s_note").startsWith("note") && col("s_note").endsWith("7") && col("s_note").contains(" 1"))
        .filter(col("s_note").isNotNull).agg(count()))
  }

  test("aggregates by groups") {
    expect("""SELECT s_product % 3, sum(s_price), count(*), count(s_quantity), min(s_day), max(s_note), avg(s_quantity)
      FROM sales GROUP BY s_product % 3""",
      sales.groupBy((col("s_product") % 3).as("third")).agg(sum(col("s_price")), count(), count(col("s_quantity")),
        min(col("s_day")), max(col("s_note")), avg(col("s_quantity"))))
  }

  test("semi and anti joins") {
    val asia = customers.filter(col("c_region") === "ASIA")
    val found = "EXISTS (SELECT 1 FROM customers WHERE c_id = s_customer AND c_region = 'ASIA')"
    expect(s"SELECT s_id FROM sales WHERE $found",
      sales.semiJoin(asia, on("s_customer", "c_id")).map("s_id"))
    expect(s"SELECT s_id FROM sales WHERE NOT $found",
      sales.antiJoin(asia, on(col("s_customer"), col("c_id"))).map("s_id"))
  }

  test("sorts, limits and top-n keep Spark's order") {
    expect("SELECT s_id, s_quantity FROM sales ORDER BY s_quantity DESC, s_id",
      sales.map("s_id", "s_quantity").orderBy(desc("s_quantity"), asc("s_id")))
    expect("SELECT s_id, s_quantity FROM sales ORDER BY s_quantity NULLS LAST, s_id DESC LIMIT 10",
      sales.map("s_id", "s_quantity").topN(10, asc(col("s_quantity")).nullsLast, desc("s_id")))
    expect("SELECT s_id FROM sales ORDER BY s_id LIMIT 5 OFFSET 7", sales.map("s_id").orderBy(asc("s_id")).limit(5, 7))
  }

  test("a frame used twice is one action") {
    val small = sales.filter(col("s_id") < 1000L)
    val means = small.groupBy("s_product").agg(avg(col("s_quantity")).as("mean"))
    val frame = small.join(means.map(col("s_product").as("product"), "mean"), on("s_product", "product"))
      .filter(col("s_quantity") > col("mean")).agg(count())
    assert(frame.toCommand.getActionsList.stream().filter(_.hasScan).count() == 1)
    expect("""WITH small AS (SELECT * FROM sales WHERE s_id < 1000),
      means AS (SELECT s_product AS product, avg(s_quantity) AS mean FROM small GROUP BY s_product)
      SELECT count(*) FROM small JOIN means ON s_product = product WHERE s_quantity > mean""", frame)
  }

  test("one job of one task a query") {
    val jobs = JobCount.during(spark.sparkContext) {
      sales.join(customers, on("s_customer", "c_id")).groupBy("c_region").agg(count()).collect()
    }
    assert(jobs == JobCount(jobs = 1, tasks = 1))
  }

  test("a DataFrame of a small answer, and of a large one read twice") {
    val regions = sales.join(customers, on("s_customer", "c_id")).groupBy("c_region").agg(count().as("n")).toDF()
    assert(regions.schema.map(field => field.name -> field.dataType) == Seq("c_region" -> StringType, "n" -> LongType))
    expectSame(
      "SELECT c_region, count(*) FROM sales JOIN customers ON s_customer = c_id GROUP BY c_region", regions.collect())
    val wide = sales.toDF()
    assert(wide.schema("s_price").dataType == DecimalType(10, 2))
    expectSame("SELECT * FROM sales", wide.collect())
    expectSame("SELECT s_product, sum(s_price) FROM sales GROUP BY s_product",
      wide.groupBy("s_product").agg(org.apache.spark.sql.functions.sum("s_price")).collect())
  }

  test("results as a Parquet file") {
    val file = folder.resolve("asia.parquet")
    customers.filter(col("c_region") === "ASIA").writeParquet(file.toString)
    expectSame("SELECT * FROM customers WHERE c_region = 'ASIA'", spark.read.parquet(file.toString).collect())
    assert(Files.isRegularFile(file))
  }

  test("settings of the session travel along") {
    withSetting("spark.sql.ansi.enabled", "true") {
      assert(sales.toCommand.getSettings.getAnsi)
      val failure = intercept[NodeFailure](sales.map(col("s_note").cast(IntegerType)).collect())
      assert(failure.errorClass == ErrorClass.ERROR_CLASS_USER)
    }
  }

  test("a column that is not there") {
    val failure = intercept[NodeFailure](sales.filter(col("s_colour") === "red").collect())
    assert(failure.code == 2002 && failure.getMessage.contains("s_colour"))
  }

  test("a file that is not there") {
    val missing = folder.resolve("missing.parquet").toString
    val failure = intercept[NodeFailure](session.scan(missing).toDF())
    assert(failure.getMessage.contains(missing) && failure.errorClass == ErrorClass.ERROR_CLASS_USER)
  }

  test("what cannot be written is refused at once, in words") {
    def refused(body: => Any): String = intercept[IllegalArgumentException](body).getMessage
    assert(refused(session.scan("hdfs://far/away.parquet")).contains("not on this machine"))
    assert(refused(lit(null)).contains("nullLit"))
    assert(refused(lit(new Object)).contains("java.lang.Object"))
    assert(refused(sales.limit(-1)).contains("-1"))
    assert(refused(col("a").in(col("b"))).contains("list of constants"))
    assert(refused(decimalLit(12345, 4, 2)).contains("decimal(4,2)"))
  }

  private def expectSame(sql: String, actual: Array[Row]): Unit =
    ShadowSuite.requireSame(inSparkOnly(spark.sql(sql).collect()), actual, ordered = false)
}
