// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

/** The plans below an operator, also where Spark keeps them as something else than children. */
private[sql] object PlanBelow {
  def of(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case adaptive: AdaptiveSparkPlanExec => Seq(adaptive.executedPlan)
    case stage: QueryStageExec => Seq(stage.plan)
    case reused: ReusedExchangeExec => Seq(reused.child)
    case reused: ReusedSubqueryExec => Seq(reused.child)
    case cached: InMemoryTableScanExec => Seq(cached.relation.cachedPlan)
    case command: CommandResultExec => Seq(command.commandPhysicalPlan)
    case _ => plan.children ++ plan.subqueries
  }
}
