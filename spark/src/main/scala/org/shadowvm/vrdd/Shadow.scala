// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.vrdd

import org.apache.spark.sql.SparkSession
import org.shadowvm.proto.{v1 => wire}

/**
 * Queries without SQL: pipelines of actions, written by hand and run in the node as vRDDs. The twin of the C++ client.
 *
 * {{{
 * Shadow.session(spark).scan("lineorder.parquet")
 *   .filter(col("lo_discount").between(1, 3))
 *   .groupBy("lo_orderdate").agg(sum(col("lo_revenue")).as("revenue"))
 *   .collect()
 * }}}
 */
object Shadow {

  /** Of an application with the plugin. Its settings that change results hold for the queries too. */
  def session(spark: SparkSession): ShadowSession = new ShadowSession(spark)
}

final class ShadowSession private[vrdd] (private[vrdd] val spark: SparkSession) {

  /** Parquet files, or folders of them, on this machine. */
  def scan(path: String, more: String*): Frame = {
    val files = wire.Files.newBuilder()
    (path +: more).foreach(each => files.addPaths(LocalPath.of(each)))
    new Frame(this, new Step(wire.Action.newBuilder().setScan(wire.Scan.newBuilder().setFiles(files)).build(), Nil))
  }
}
