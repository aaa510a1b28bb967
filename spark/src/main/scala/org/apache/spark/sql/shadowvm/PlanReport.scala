// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, AQEShuffleReadExec, QueryStageExec}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.command.{DataWritingCommandExec, ExecutedCommandExec}
import org.apache.spark.sql.execution.datasources.WriteFilesExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.shadowvm.{OperatorReport, ShadowReport}

/** Reads a report off a physical plan. */
private[shadowvm] object PlanReport {
  def of(plan: SparkPlan): ShadowReport = {
    // A query that stands in several places ran once.
    val lines = ran(plan).distinct.flatMap { case (query, pipelines) => s"ran query $query" +: pipelines }
    ShadowReport(operators(plan, depth = 0), lines)
  }

  /** By the queries' keys, which the plan shows as well. */
  private def ran(plan: SparkPlan): Seq[(String, Seq[String])] = plan match {
    // What filled the cache was another query's run.
    case _: InMemoryTableScanExec => Nil
    case result: ShadowResultExec if result.ran.nonEmpty =>
      PlanBelow.of(plan).flatMap(ran) :+ (result.island.key.toString -> result.ran)
    case _ => PlanBelow.of(plan).flatMap(ran)
  }

  private def operators(plan: SparkPlan, depth: Int): Seq[OperatorReport] = plan match {
    case result: ShadowResultExec =>
      // Where Spark has run it instead, that plan counts, and has the subqueries as well.
      result.inSpark match {
        case Some(plan) => operators(plan, depth)
        case None => operators(result.child, depth) ++ result.parameters.flatMap(it => operators(it.plan, depth + 1))
      }
    case _ if isWrapper(plan) => PlanBelow.of(plan).flatMap(operators(_, depth))
    case _ => operator(plan, depth) +: PlanBelow.of(plan).flatMap(operators(_, depth + 1))
  }

  private def operator(plan: SparkPlan, depth: Int): OperatorReport = {
    val inNode = plan.isInstanceOf[ShadowOperator]
    OperatorReport(plan.nodeName, depth, inNode, if (inNode) Nil else Reasons.of(plan))
  }

  /** Operators that do no work of their own on rows, or are no part of the query's work. */
  private def isWrapper(plan: SparkPlan): Boolean = plan match {
    case _: AdaptiveSparkPlanExec | _: QueryStageExec | _: ReusedExchangeExec | _: AQEShuffleReadExec => true
    case _: WholeStageCodegenExec | _: InputAdapter | _: ColumnarToRowExec | _: RowToColumnarExec => true
    case _: DataWritingCommandExec | _: WriteFilesExec | _: ExecutedCommandExec | _: CommandResultExec => true
    case _: BaseSubqueryExec | _: ShadowReportExec => true
    case _ => false
  }
}
