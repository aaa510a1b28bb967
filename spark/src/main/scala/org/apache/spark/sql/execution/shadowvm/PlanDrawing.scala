// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.execution.shadowvm

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.{SparkPlan, SparkPlanInfo, SQLExecution}
import org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.shadowvm.{PlanBelow, ShadowResultExec}

/** Draws the plan of a running query anew. Here because Spark describes plans to this package alone. */
private[sql] object PlanDrawing {
  def update(context: SparkContext, executionId: Long): Unit =
    Option(SQLExecution.getQueryExecution(executionId)).foreach { query =>
      val plan = query.executedPlan
      context.listenerBus.post(SparkListenerSQLAdaptiveExecutionUpdate(executionId, plan.treeString, draw(plan)))
    }

  /** As Spark would, with the plans that it has run in place of islands beside these. */
  private def draw(plan: SparkPlan): SparkPlanInfo = {
    val drawn = SparkPlanInfo.fromSparkPlan(plan)
    val below = plan match {
      case result: ShadowResultExec => result.children ++ result.parameters.map(_.plan) ++ result.inSpark
      case _ => PlanBelow.of(plan)
    }
    // What Spark draws below an operator beside plans (logical ones, of empty relations) stays as it is.
    val children = if (below.isEmpty) drawn.children else below.map(draw)
    new SparkPlanInfo(drawn.nodeName, drawn.simpleString, children, drawn.metadata, drawn.metrics)
  }
}
