// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{CommandResultExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.command.ExecutedCommandExec
import org.apache.spark.sql.execution.datasources.v2.V2CommandExec

/**
 * Replaces the subtrees that run in the node; those that were replaced before stay as they are.
 *
 * @param again
 *   look at plans that were looked at before: after a stage of adaptive execution the rest is planned anew, and holds
 *   operators of both kinds.
 */
case class OffloadRule(session: SparkShim.Session, again: Boolean) extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan = {
    val context = session.sparkContext
    PythonCaller.remember(context)
    if (RulesOff.in(context) || OffloadRule.holdsNoQuery(plan) || (!again && Reasons.decided(plan))) plan
    else ShadowRuntime.of(context).fold(plan)(apply(plan, _))
  }

  private def apply(plan: SparkPlan, runtime: ShadowRuntime): SparkPlan = {
    val settings = runtime.settings.of(session.sessionState.conf)
    if (!settings.enabled) plan
    else
      // A defect of ours must not fail a query that Spark can run.
      try {
        val planned = new Offload(session, runtime, settings).apply(ShadowReportExec.off(plan))
        runtime.explainLog.planned(planned, settings)
        SparkShim.reported(planned)
      } catch {
        case NonFatal(error) =>
          logWarning("ShadowVM could not plan this query; it runs in Spark", error)
          plan
      }
  }
}

private object OffloadRule {

  /**
   * Commands, and what is left to do around a query that adaptive execution plans by itself, which comes to us as well.
   * No setting is looked at for them: where one of ours is wrong, SET and RESET can still correct it.
   */
  private def holdsNoQuery(plan: SparkPlan): Boolean = plan match {
    case _: ExecutedCommandExec | _: CommandResultExec => true
    case command: V2CommandExec if command.children.isEmpty => true
    case _ => plan.exists(_.isInstanceOf[AdaptiveSparkPlanExec])
  }
}
