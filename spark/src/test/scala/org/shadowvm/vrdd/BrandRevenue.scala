// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.vrdd

// docs/spark.md shows what follows.
import org.apache.spark.sql.{Row, SparkSession}
import org.shadowvm.vrdd.Shadow
import org.shadowvm.vrdd.functions._

object BrandRevenue {
  def apply(spark: SparkSession, data: String): Array[Row] = {
    val session = Shadow.session(spark)
    val parts = session.scan(s"$data/part.parquet").filter(col("p_category") === "MFGR#12")
    val suppliers = session.scan(s"$data/supplier.parquet").filter(col("s_region") === "AMERICA")
    session.scan(s"$data/lineorder.parquet")
      .join(parts, on("lo_partkey", "p_partkey"))
      .semiJoin(suppliers, on("lo_suppkey", "s_suppkey"))
      .join(session.scan(s"$data/date.parquet"), on("lo_orderdate", "d_datekey"))
      .groupBy("d_year", "p_brand1").agg(sum(col("lo_revenue")).as("revenue"))
      .orderBy(asc("d_year"), asc("p_brand1"))
      .collect()
  }
}
