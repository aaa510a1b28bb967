// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan

/** Every operator of the plan that a query has run with, also inside of adaptive execution. */
object ExecutedPlan {
  def of(query: DataFrame): Seq[SparkPlan] = within(SparkShim.execution(query).executedPlan)

  private def within(plan: SparkPlan): Seq[SparkPlan] = plan +: PlanBelow.of(plan).flatMap(within)
}
