// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.math.{BigDecimal, BigInteger}
import java.util.Arrays

import scala.util.Try

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.types.StructType

/** Decimals near 38 digits: Spark's rows, Spark's nulls or Spark's error, in both modes. */
class WideDecimalSuite extends ShadowSuite {
  private val most = BigInteger.TEN.pow(38).subtract(BigInteger.ONE)
  private val summable = BigInteger.TEN.pow(28).subtract(BigInteger.ONE)

  /** Digits, and whether the node sums them itself. */
  private val cases: Seq[(String, Boolean, Seq[BigInteger])] = Seq(
    ("small", true, Seq(100, -7, 33, 6).map(BigInteger.valueOf(_))),
    ("as many digits as are summed", true, Seq(summable, summable, summable.negate, summable)),
    ("a digit more", false, Seq(summable.add(BigInteger.ONE), BigInteger.ONE)),
    ("the largest", false, Seq(most)),
    ("the least", false, Seq(most.negate)),
    ("too large", false, Seq(most, BigInteger.ONE)),
    ("too small", false, Seq(most.negate, BigInteger.ONE.negate)),
    ("too large on the way", false, Seq(most, most, most.negate)),
    ("beyond 128 bits on the way", false, Seq(most, most, most.negate, most.negate, most)),
    ("opposites", false, Seq(most, most.negate)))

  private val scales = Seq(0, 25, 38)

  override def beforeAll(): Unit = {
    super.beforeAll()
    val rows = cases.flatMap { case (name, _, values) =>
      (values :+ null).map { digits =>
        Row(name +: scales.map(scale => if (digits == null) null else new BigDecimal(digits, scale)): _*)
      }
    }
    save("wide", "name STRING, " + scales.map(scale => s"v$scale DECIMAL(38, $scale)").mkString(", "), rows)
    // Quotients just below a half: rounded twice they would be rounded up.
    val pairs = Seq("0.05" -> "99009900990099009901", "-0.05" -> "99009900990099009901",
      "0.02" -> "97560975609756097561", "0.07" -> "3", "0.99" -> "7", "0.50" -> "0")
    save("pairs", "a DECIMAL(2, 2), b DECIMAL(20, 0)", pairs.map { case (a, b) =>
      Row(new BigDecimal(a), new BigDecimal(b))
    })
  }

  private def save(table: String, schema: String, rows: Seq[Row]): Unit = inSparkOnly {
    val path = folder.resolve(table).toString
    spark.createDataFrame(Arrays.asList(rows: _*), StructType.fromDDL(schema)).coalesce(1)
      .write.mode("overwrite").parquet(path)
    spark.read.parquet(path).createOrReplaceTempView(table)
  }

  for (ansi <- Seq(false, true)) {
    val mode = if (ansi) "ANSI" else "legacy"

    for ((name, inNode, _) <- cases) {
      test(s"sum and average, $mode: $name") {
        withSetting("spark.sql.ansi.enabled", ansi.toString) {
          for (scale <- scales; function <- Seq("sum", "avg"); keys <- Seq("", "name,")) {
            val grouped = if (keys.isEmpty) "" else "GROUP BY name"
            same(inNode, s"SELECT $keys $function(v$scale) FROM wide WHERE name = '$name' $grouped")
          }
        }
      }
    }

    test(s"quotients round once, $mode") {
      withSetting("spark.sql.ansi.enabled", ansi.toString) {
        same(inNode = true, "SELECT b, max(a / b), min(a / b) FROM pairs WHERE b <> 0 GROUP BY b")
        same(inNode = !ansi, "SELECT b, max(a / b), min(a / b) FROM pairs GROUP BY b")
        same(inNode = true, "SELECT name, max(v25 / 3), min(v25 / -7), max(v0 / v25) FROM wide " +
          "WHERE name = 'small' GROUP BY name")
      }
    }
  }

  /** The same rows or the same kind of error; where the node runs over, Spark has answered. */
  private def same(inNode: Boolean, sql: String): Unit = {
    def outcome(query: DataFrame) = Try(query.collect().map(_.toString).sorted.toSeq)
    val expected = inSparkOnly(outcome(spark.sql(sql)))
    val query = spark.sql(sql)
    val actual = outcome(query)
    assert(actual.isSuccess == expected.isSuccess, s"$sql\n$expected\n$actual")
    if (expected.isSuccess) {
      assert(actual == expected, sql)
      val report = org.shadowvm.ShadowReport.of(query)
      assert(report.whole == inNode, s"$sql\n$report")
    } else assert(messageOf(actual.failed.get) == messageOf(expected.failed.get), sql)
  }

  /** Of the cause that Spark names; stages and tasks differ. */
  private def messageOf(error: Throwable): String =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq.last.getMessage.linesIterator.next()
}
