// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.catalyst.expressions.{ExprId, NamedExpression}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.execution.aggregate._

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Columns, Fragment, PlanSupport, Reason}
import org.shadowvm.translate.expression.Wrappers

/**
 * Aggregates. Spark plans most of them as two operators with a shuffle between: one over each partition, one over their
 * results. The lower becomes the aggregate of all rows, with results rather than buffers as its columns, so the upper
 * only has result expressions left.
 */
object Aggregates {

  val rules: Seq[(Class[_], OperatorRule)] =
    Seq(on[HashAggregateExec](aggregate), on[ObjectHashAggregateExec](aggregate), on[SortAggregateExec](aggregate))

  private def aggregate(node: BaseAggregateExec, support: PlanSupport): Outcome = {
    val modes = node.aggregateExpressions.map(_.mode).distinct
    lowerHalf(node) match {
      case Some(lower) => upper(node, lower, support)
      case None if modes.forall(_ == Complete) => whole(node, support)
      case None if modes == Seq(Partial) => grouped(node, support)
      case None => Left(Seq(unpaired))
    }
  }

  private val unpaired =
    Reason("AGGREGATE_PHASES", "aggregates of more than two phases (DISTINCT beside others) are not supported")

  /** The operator whose results this one merges: nothing but a shuffle and a sort lie between. */
  private def lowerHalf(node: BaseAggregateExec): Option[BaseAggregateExec] = Vanishing.skip(node.child) match {
    case lower: BaseAggregateExec if merges(node, lower) => Some(lower)
    case _ => None
  }

  private def merges(upper: BaseAggregateExec, lower: BaseAggregateExec): Boolean = {
    val phases = upper.aggregateExpressions.forall(_.mode == Final) &&
      lower.aggregateExpressions.forall(_.mode == Partial)
    val sameKeys = upper.groupingExpressions.map(_.exprId) == lower.groupingExpressions.map(_.exprId)
    val sameCalls = upper.aggregateExpressions.map(_.aggregateFunction) ==
      lower.aggregateExpressions.map(_.aggregateFunction)
    phases && sameKeys && sameCalls && lower.requiredChildDistributionExpressions.isEmpty
  }

  private def upper(node: BaseAggregateExec, lower: BaseAggregateExec, support: PlanSupport): Outcome =
    results(node, support).map { case (map, columns) => Fragment(Seq(lower), map, columns) }

  /** Without functions also the lower half: distinct keys are as good as its own, which repeat in each partition. */
  private def whole(node: BaseAggregateExec, support: PlanSupport): Outcome =
    for {
      keyed <- grouped(node, support)
      result <- results(node, support)
    } yield Fragment(keyed.inputs, keyed.actions ++ result._1, result._2)

  private def results(node: BaseAggregateExec, support: PlanSupport) =
    DecimalSums.resultsOf(node).flatMap(RowSteps.map(_, columnsOf(node), support))

  /** Keys, then results; Spark's names for the results are those of the upper half. */
  private def columnsOf(node: BaseAggregateExec): Columns =
    new Columns((node.groupingExpressions.map(_.exprId) ++ resultIds(node)).toIndexedSeq)

  private def resultIds(node: BaseAggregateExec): Seq[ExprId] =
    if (isLower(node)) node.aggregateExpressions.map(_.resultId) else node.aggregateAttributes.map(_.exprId)

  /** Its results are buffers in Spark, which nothing but its upper half can read. */
  private def isLower(node: BaseAggregateExec): Boolean = node.aggregateExpressions.exists(_.mode == Partial)

  private def grouped(node: BaseAggregateExec, support: PlanSupport): Outcome = {
    val input = Vanishing.skip(node.child)
    val inputColumns = support.columnsOf(input)
    val translate = support.expressions(inputColumns)
    val keys = node.groupingExpressions.map(key => translate(Wrappers.key(key)).map(named(key, _)))
    val calls = node.aggregateExpressions.map(AggregateCalls.translate(_, translate))
    for {
      keys <- collectAll(keys)
      calls <- collectAll(calls)
      _ <- if (keys.isEmpty && calls.isEmpty) Left(Seq(Reason("NO_COLUMN", "an aggregate of nothing"))) else Right(())
    } yield {
      val aggregate = wire.Aggregate.newBuilder()
      keys.foreach(key => aggregate.addKeys(key))
      calls.foreach(call => aggregate.addAggregates(call))
      val action = wire.Action.newBuilder().setAggregate(aggregate).build()
      Fragment(Seq(input), Seq(action), columnsOf(node), standsAlone = !isLower(node))
    }
  }

  private def named(key: NamedExpression, expression: wire.Expression): wire.NamedExpression =
    wire.NamedExpression.newBuilder().setName(key.name).setExpression(expression).build()
}
