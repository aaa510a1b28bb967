// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.execution.SparkPlan

/** Spark 4.1 draws a plan again when it has run, as operators with their subqueries: what ran instead is one of them. */
trait DrawsFallback extends SparkPlan {
  def inSpark: Option[SparkPlan]

  override def subqueries: Seq[SparkPlan] = super.subqueries ++ inSpark
}
