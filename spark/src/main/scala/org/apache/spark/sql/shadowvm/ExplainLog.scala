// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.internal.Logging
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.shadowvm.proto.v1.{PipelineInfo, QueryMetrics}
import org.shadowvm.settings.ShadowSettings

/** Says in the driver's log where operators run, as spark.shadowvm.explain asks for. */
private[shadowvm] final class ExplainLog extends Logging {
  def planned(plan: SparkPlan, settings: ShadowSettings): Unit =
    if (settings.explain != "NONE" && !isPlannedAgain(plan)) {
      val report = PlanReport.of(plan)
      val text = if (settings.explain == "ALL") report.text else report.fallbackText
      if (text.nonEmpty) logWarning(s"ShadowVM ${report.summary}\n$text")
    }

  /** Once a query has run in the node: where its pipelines ran, the time predicted for them and the time they took. */
  def ran(pipelines: Seq[PipelineInfo], query: QueryMetrics, settings: ShadowSettings): Unit =
    if (settings.explain == "ALL") {
      logWarning(s"ShadowVM ran query ${query.getQueryId}\n${PipelineText.of(pipelines, query).mkString("\n")}")
    }

  /** Adaptive execution plans again after each stage; the first time has said it all. */
  private def isPlannedAgain(plan: SparkPlan): Boolean = plan.exists(_.isInstanceOf[QueryStageExec])
}
