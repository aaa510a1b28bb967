// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

/** Parts of text: characters, not bytes, from either end, as Spark counts them. */
class SubstringSuite extends ShadowSuite {
  private val texts = Seq("", "a", "ab", "13-555", "é", "日本語", "naïve 日a", "😀x😀", "e\u0301", " trailing ")
  private val numbers = Seq(Int.MinValue, -40, -7, -3, -1, 0, 1, 2, 3, 7, 40, Int.MaxValue)

  override def beforeAll(): Unit = {
    super.beforeAll()
    val path = folder.resolve("texts").toString
    val session = spark
    import session.implicits._
    inSparkOnly {
      val rows = for (text <- texts :+ null; first <- numbers; length <- numbers) yield (text, first, length)
      rows.toDF("t", "first", "length").coalesce(1).write.parquet(path)
    }
    spark.read.parquet(path).createOrReplaceTempView("texts")
  }

  for (ansi <- Seq(false, true)) {
    val mode = if (ansi) "ANSI" else "legacy"

    def runs(sql: String): Unit = withSetting("spark.sql.ansi.enabled", ansi.toString)(runsInNode(sql))

    test(s"positions and lengths of columns, $mode") {
      runs("SELECT t, first, length, substring(t, first, length) AS part FROM texts ORDER BY t, first, length")
      runs("SELECT substring(t, first, length) AS part, count(*) FROM texts GROUP BY 1")
    }

    test(s"positions and lengths that are constants, $mode") {
      for (first <- Seq(-7, -1, 0, 1, 3); length <- Seq(-1, 0, 2, Int.MaxValue)) {
        runs(s"SELECT max(substring(t, $first, $length)), count(substring(t, $first, $length)) FROM texts " +
          s"WHERE substring(t, $first, $length) <> substring(t, 2)")
      }
    }

    test(s"a null for any of them is a null, $mode") {
      runs("SELECT count(substring(t, nullif(first, 1), nullif(length, 3))), count(*) FROM texts WHERE first > 0")
    }
  }
}
