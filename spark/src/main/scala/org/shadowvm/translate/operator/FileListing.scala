// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import java.util.IdentityHashMap

import org.apache.spark.sql.catalyst.expressions.PlanExpression
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.PartitionDirectory

/** The files of each scan, listed once, and what is set for all of them. */
final class FileListing {

  private var encrypted: Option[Boolean] = None
  private val found = new IdentityHashMap[SparkPlan, Seq[PartitionDirectory]]()

  /** As Spark's own scan selects them, filters that need a subquery apart. */
  def directories(scan: FileSourceScanExec): Seq[PartitionDirectory] = {
    val known = found.get(scan)
    if (known != null) known
    else {
      val static = scan.partitionFilters.filterNot(_.exists(_.isInstanceOf[PlanExpression[_]]))
      val staticData = scan.dataFilters.filterNot(_.exists(_.isInstanceOf[PlanExpression[_]]))
      val listed = scan.relation.location.listFiles(static, staticData)
      found.put(scan, listed)
      listed
    }
  }

  /** By the settings of Hadoop, which the scans of a plan have in common; these are slow to ask. */
  def encrypts(scan: FileSourceScanExec): Boolean = {
    if (encrypted.isEmpty) {
      val hadoop = scan.relation.sparkSession.sparkContext.hadoopConfiguration
      encrypted = Some(hadoop.get("parquet.crypto.factory.class") != null)
    }
    encrypted.get
  }

  def bytesOf(node: SparkPlan): Long = found.get(node) match {
    case null => 0L
    case directories => directories.iterator.flatMap(_.files).map(_.getLen).sum
  }
}
