// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.nio.file.Path

import org.apache.spark.sql.SparkSession

/** A small shop: facts with nulls, two dimensions. The same rows in every suite. */
object TestTables {
  val NumSales = 20000

  /** Takes long: each of the chosen sales meets 250,000 pairs of others. */
  def longQuery(numSales: Int): String = s"""
    SELECT count(*) FROM sales a JOIN sales b ON a.s_product = b.s_product JOIN sales c ON a.s_product = c.s_product
    WHERE a.s_id < $numSales AND b.s_id + c.s_id <> a.s_id"""

  def write(spark: SparkSession, folder: Path): Unit = {
    def save(table: String, files: Int, sql: String): Unit =
      spark.sql(sql).coalesce(files).write.mode("overwrite").parquet(folder.resolve(table).toString)
    save("sales", 2, s"""
      SELECT id AS s_id, CAST(id % 500 AS INT) AS s_customer, CAST(id * 7 % 40 AS INT) AS s_product,
        date_add(DATE'2024-01-01', CAST(id % 700 AS INT)) AS s_day,
        IF(id % 13 = 0, NULL, CAST(id * 31 % 100 AS INT)) AS s_quantity,
        CAST((id * 17 % 10000) / 100 AS DECIMAL(10, 2)) AS s_price,
        IF(id % 11 = 0, NULL, concat('note ', id % 30)) AS s_note
      FROM range($NumSales)""")
    save("customers", 1, """
      SELECT CAST(id AS INT) AS c_id, concat('customer ', id) AS c_name,
        element_at(array('ASIA', 'EUROPE', 'AFRICA', 'AMERICA'), CAST(id % 4 AS INT) + 1) AS c_region
      FROM range(450)""")
    save("products", 1, """
      SELECT CAST(id AS INT) AS p_id, concat('brand ', id % 5) AS p_brand, CAST(id AS BIGINT) * 100000000000000000 AS p_big
      FROM range(40)""")
  }

  def register(spark: SparkSession, folder: Path): Unit =
    Seq("sales", "customers", "products").foreach { table =>
      spark.read.parquet(folder.resolve(table).toString).createOrReplaceTempView(table)
    }
}
