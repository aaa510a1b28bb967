// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.expressions.{DynamicPruningExpression, Literal}
import org.apache.spark.sql.execution.{InSubqueryExec, QueryExecution, SparkPlan, SQLExecution}
import org.apache.spark.sql.execution.SubqueryAdaptiveBroadcastExec
import org.apache.spark.sql.execution.shadowvm.PlanDrawing

/** Plans an island's original operators for Spark. */
private[shadowvm] object SparkAgain {

  /** With our rules off. */
  def plan(session: SparkShim.Session, original: SparkPlan): SparkPlan =
    QueryExecution.prepareExecutedPlan(session, withoutAdaptivePruning(original))

  /**
   * A scan may wait for the keys of a broadcast that only adaptive execution would plan. Without them it reads more and
   * gives the same rows; Spark does just this where it finds no broadcast to take the keys from.
   */
  private def withoutAdaptivePruning(plan: SparkPlan): SparkPlan = plan.transformAllExpressions {
    case DynamicPruningExpression(InSubqueryExec(_, _: SubqueryAdaptiveBroadcastExec, _, _, _, _)) =>
      DynamicPruningExpression(Literal.TrueLiteral)
  }

  /** Shows the plan in the SQL tab. */
  def draw(context: SparkContext): Unit =
    Option(context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)).foreach { id =>
      PlanDrawing.update(context, id.toLong)
    }
}
