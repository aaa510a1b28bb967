// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

import org.apache.spark.sql.SparkSession
import org.scalatest.funsuite.AnyFunSuite

class ShadowPluginSuite extends AnyFunSuite {
  test("Spark runs with the plugin on") {
    val spark = SparkSession.builder()
      .master("local[2]")
      .config("spark.plugins", classOf[ShadowPlugin].getName)
      .getOrCreate()
    try assert(spark.range(10).count() == 10)
    finally spark.stop()
  }
}
