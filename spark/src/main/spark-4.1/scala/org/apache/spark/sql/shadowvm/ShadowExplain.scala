// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.ExtendedExplainGenerator
import org.apache.spark.sql.execution.SparkPlan

/** Where each operator runs and why, below every explained plan. Spark makes it from its name. */
class ShadowExplain extends ExtendedExplainGenerator {
  override def title: String = "ShadowVM"

  override def generateExtendedInfo(plan: SparkPlan): String = PlanReport.of(plan).toString
}
