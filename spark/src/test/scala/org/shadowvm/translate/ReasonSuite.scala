// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

/** What stays in Spark, and the reason it gives. */
class ReasonSuite extends TranslateSuite {

  override protected def beforeAll(): Unit = {
    makeTable("t", TypesTable.schema)
    makeTable("u", "k INT, v DOUBLE, name STRING")
    spark.read.json(spark.range(1).selectExpr("'{\"k\": 1}' AS value").as(org.apache.spark.sql.Encoders.STRING))
      .write.json(folder.resolve("json").toString)
    spark.read.schema("k INT").json(folder.resolve("json").toString).createOrReplaceTempView("json")
    spark.read.option("datetimeRebaseMode", "LEGACY").parquet(folder.resolve("u").toString)
      .createOrReplaceTempView("rebased")
    spark.conf.set("spark.sql.ansi.enabled", "false")
  }

  private def stays(sql: String, code: String, settings: (String, String)*): Unit =
    test(s"$code: $sql ${settings.mkString(" ")}") {
      withSettings(settings: _*)(assert(codesOf(sql).contains(code)))
    }

  private def refused(expression: String, code: String, settings: (String, String)*): Unit =
    stays(s"SELECT $expression AS result FROM t", code, settings: _*)

  // Types
  refused("arr", "TYPE")
  refused("st.x", "TYPE")
  refused("ym", "TYPE")
  refused("INTERVAL '3' DAY", "TYPE")

  // Expressions
  refused("upper(s)", "EXPRESSION")
  refused("i32 DIV 2", "EXPRESSION")
  refused("abs(i32)", "EXPRESSION")
  refused("input_file_name()", "NON_DETERMINISTIC")
  refused("rand()", "NON_DETERMINISTIC")
  refused("monotonically_increasing_id()", "NON_DETERMINISTIC")
  refused("s LIKE concat(s, '%')", "EXPRESSION_USE")
  refused("s LIKE 'a#b_' ESCAPE '#'", "EXPRESSION_USE")
  refused("s RLIKE 'a+'", "EXPRESSION")
  refused("i32 IN (i8, i16)", "EXPRESSION_USE")
  refused(s"d IN (${(1 to 12).map(i => s"$i.5D").mkString(", ")})", "EXPRESSION_USE")
  refused("day + INTERVAL '1' DAY", "EXPRESSION")
  refused("nanvl(d, 0D)", "EXPRESSION")

  // Casts
  refused("cast(i32 AS STRING)", "CAST_PAIR")
  refused("cast(s AS INT)", "CAST_PAIR")
  refused("cast(d AS DECIMAL(10,2))", "CAST_PAIR")
  refused("cast(dec AS FLOAT)", "CAST_PAIR")
  refused("cast(day AS TIMESTAMP)", "CAST_PAIR")
  refused("cast(d AS BIGINT)", "CAST_PAIR", "spark.sql.ansi.enabled" -> "true")

  // Decimals
  refused("wide * wide", "DECIMAL_WIDTH")
  refused("wide + dec5 * 1E20BD", "DECIMAL_WIDTH")
  refused("cast(wide AS DECIMAL(38,0)) / cast(wide AS DECIMAL(38,38))", "DECIMAL_WIDTH")

  // Time zones
  refused("year(ts)", "TIME_ZONE", "spark.sql.session.timeZone" -> "Europe/Berlin")

  // Scans
  stays("SELECT k FROM json", "FILE_FORMAT")
  stays("SELECT k FROM rebased", "SETTING")
  stays("SELECT k FROM u", "SETTING", "spark.sql.files.ignoreCorruptFiles" -> "true")
  stays("SELECT k FROM u", "SETTING", "spark.sql.files.ignoreMissingFiles" -> "true")
  stays("SELECT k FROM u", "SETTING", "spark.sql.parquet.enableVectorizedReader" -> "false")
  stays("SELECT k FROM u", "SETTING", "spark.sql.parquet.int96RebaseModeInRead" -> "LEGACY")
  stays("SELECT k FROM u", "SETTING", "spark.sql.legacy.parquet.datetimeRebaseModeInRead" -> "LEGACY")

  // Aggregates
  stays("SELECT sum(v) FILTER (WHERE k > 1) FROM u", "AGGREGATE_FILTER")
  stays("SELECT stddev(v) FROM u", "AGGREGATE_FUNCTION")
  stays("SELECT collect_list(k) FROM u", "AGGREGATE_FUNCTION")
  stays("SELECT count(DISTINCT k), sum(v) FROM u", "AGGREGATE_PHASES")
  stays("SELECT count(k, v) FROM u", "AGGREGATE_FUNCTION")
  stays("SELECT sum(v) FROM u", "STRICT_FLOAT", "spark.shadowvm.strictFloat" -> "true")
  stays("SELECT avg(k) FROM u", "STRICT_FLOAT", "spark.shadowvm.strictFloat" -> "true")
  stays("SELECT max(bin) FROM t", "TYPE")
  stays("SELECT try_sum(k) FROM u", "AGGREGATE_FUNCTION")
  stays("SELECT avg(dec5) FROM t", "EXPRESSION")

  // Joins
  stays("SELECT a.k, b.v FROM u a LEFT JOIN u b ON a.k = b.k AND a.v > b.v", "JOIN_CONDITION")
  stays("SELECT a.k FROM u a FULL JOIN u b ON a.k = b.k", "JOIN_KIND")
  stays("SELECT k FROM u a WHERE EXISTS (SELECT 1 FROM t WHERE i32 = a.k AND d > a.v)", "JOIN_CONDITION")
  stays("SELECT a.k FROM u a JOIN u b ON a.k < b.k", "OPERATOR")

  // Other operators
  stays("SELECT k FROM u UNION ALL SELECT i32 FROM t", "OPERATOR")
  stays("SELECT k, row_number() OVER (ORDER BY k) FROM u", "OPERATOR")
  stays("SELECT id FROM range(10)", "OPERATOR")
  stays("SELECT explode(arr) FROM t", "OPERATOR")
  stays("SELECT k, name, sum(v) FROM u GROUP BY CUBE (k, name)", "OPERATOR")

  // Switches
  stays("SELECT k FROM u ORDER BY k", "SWITCHED_OFF", "spark.shadowvm.operator.Sort.enabled" -> "false")
  stays("SELECT k + 1 FROM u", "SWITCHED_OFF", "spark.shadowvm.expression.Add.enabled" -> "false")
  stays("SELECT sum(v) FROM u", "SWITCHED_OFF", "spark.shadowvm.expression.Sum.enabled" -> "false")
  stays("SELECT k FROM u", "SWITCHED_OFF", "spark.shadowvm.operator.FileSourceScan.enabled" -> "false")

  test("columns about the files") {
    val files = s"parquet.`${folder.resolve("u")}`"
    assert(codesOf(s"SELECT _metadata.file_path FROM $files").contains("METADATA_COLUMN"))
    assert(codesOf(s"SELECT _metadata.row_index FROM $files").contains("METADATA_COLUMN"))
  }

  test("user functions") {
    spark.udf.register("twice", (x: Int) => x * 2)
    assert(codesOf("SELECT twice(k) FROM u") == Set("USER_FUNCTION"))
  }

  test("a scan of the second version") {
    withSettings("spark.sql.sources.useV1SourceList" -> "") {
      spark.read.parquet(folder.resolve("u").toString).createOrReplaceTempView("second")
      assert(codesOf("SELECT k FROM second").contains("OPERATOR"))
    }
  }

  test("texts name what is in the way") {
    val reasons = PlanTranslator.translate(planOf("SELECT upper(s) FROM t"), support).left.toOption.get
    assert(reasons == Seq(Reason("EXPRESSION", "expression upper is not supported")))
  }

  test("quotients of a Spark that rounds them twice") {
    for (sql <- Seq("SELECT dec / 3BD FROM t", "SELECT avg(wide) FROM t")) {
      assert(codesOf(sql).isEmpty, sql)
      val reasons = PlanTranslator.translate(planOf(sql), supportIn("3.5.0")).left.toOption.get
      assert(reasons.map(_.code).contains("SPARK_VERSION"), sql)
    }
  }

  test("buckets that serve as partitions") {
    spark.sql(s"CREATE TABLE buckets (k INT, v DOUBLE) USING parquet CLUSTERED BY (k) INTO 2 BUCKETS " +
      s"LOCATION '${folder.resolve("buckets")}'")
    try {
      val codes = withSettings("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        codesOf("SELECT a.v FROM buckets a JOIN buckets b ON a.k = b.k")
      }
      assert(codes.contains("BUCKETS"))
    } finally spark.sql("DROP TABLE buckets")
  }
}
