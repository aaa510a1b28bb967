// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.SparkException

/** What the driver takes at most, as Spark counts it. */
class ResultSizeSuite extends ShadowSuite {
  override protected def settings: Map[String, String] = Map("spark.driver.maxResultSize" -> "6m")

  /** Pairs of sales: 500 for each of so many. */
  private def pairs(numSales: Int): String = s"""
    SELECT a.s_id, a.s_note, b.s_id AS other, b.s_note AS other_note
    FROM sales a JOIN sales b ON a.s_product = b.s_product WHERE a.s_id < $numSales"""

  private def tooMuch(): Unit = {
    val error = intercept[SparkException](spark.sql(pairs(2000)).collect())
    assert(error.getMessage.contains("spark.driver.maxResultSize"), error)
  }

  Seq("false", "true").foreach { direct =>
    test(s"rows that Spark could collect can be collected, direct collect $direct") {
      withSetting("spark.shadowvm.directCollect", direct) {
        runsInNode(pairs(400))
        tooMuch()
      }
    }
  }

  test("rows come out of chunks as they went in, compressed or not") {
    Seq(0, 1000, 100, 10000000, 5).foreach { size =>
      val bytes = Array.tabulate(size)(i => (i * 31 % 251).toByte)
      val chunk = Chunk.of(bytes)
      assert(chunk.unpacked.sameElements(bytes))
      assert(chunk.bytes.length <= size)
    }
  }
}
