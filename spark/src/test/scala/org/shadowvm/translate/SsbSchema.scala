// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

/** The tables of the Star Schema Benchmark, as the generator writes them. */
object SsbSchema {
  val tables: Map[String, String] = Map(
    "lineorder" ->
      """lo_orderkey INT, lo_linenumber INT, lo_custkey INT, lo_partkey INT, lo_suppkey INT, lo_orderdate INT,
        |lo_orderpriority STRING, lo_shippriority INT, lo_quantity INT, lo_extendedprice INT, lo_ordtotalprice INT,
        |lo_discount INT, lo_revenue INT, lo_supplycost INT, lo_tax INT, lo_commitdate INT, lo_shipmode STRING
        |""".stripMargin,
    "customer" ->
      """c_custkey INT, c_name STRING, c_address STRING, c_city STRING, c_nation STRING, c_region STRING,
        |c_phone STRING, c_mktsegment STRING""".stripMargin,
    "supplier" ->
      """s_suppkey INT, s_name STRING, s_address STRING, s_city STRING, s_nation STRING, s_region STRING,
        |s_phone STRING""".stripMargin,
    "part" ->
      """p_partkey INT, p_name STRING, p_mfgr STRING, p_category STRING, p_brand1 STRING, p_color STRING,
        |p_type STRING, p_size INT, p_container STRING""".stripMargin,
    "date" ->
      """d_datekey INT, d_date STRING, d_dayofweek STRING, d_month STRING, d_year INT, d_yearmonthnum INT,
        |d_yearmonth STRING, d_daynuminweek INT, d_daynuminmonth INT, d_daynuminyear INT, d_monthnuminyear INT,
        |d_weeknuminyear INT, d_sellingseason STRING""".stripMargin)
}
