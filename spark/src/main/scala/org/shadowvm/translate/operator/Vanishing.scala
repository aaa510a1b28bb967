// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeExec, ReusedExchangeExec, ShuffleExchangeExec}

import org.shadowvm.translate.{Columns, Fragment, PlanSupport}

/** Operators that only say where and how Spark runs the ones below them. */
object Vanishing {

  val rules: Seq[(Class[_], OperatorRule)] = Seq(
    on[ShuffleExchangeExec](pass),
    on[BroadcastExchangeExec](pass),
    on[WholeStageCodegenExec](pass),
    on[InputAdapter](pass),
    on[ColumnarToRowExec](pass),
    on[ReusedExchangeExec](reused)
  )

  /** The nearest operator, from this one down, that does more than bring rows together or in order. */
  def skip(node: SparkPlan): SparkPlan = node match {
    case _: ShuffleExchangeExec | _: WholeStageCodegenExec | _: InputAdapter | _: ColumnarToRowExec =>
      skip(node.children.head)
    case sort: SortExec if !sort.global => skip(sort.child)
    case other => other
  }

  private def pass(node: SparkPlan with UnaryExecNode, support: PlanSupport): Outcome =
    Right(Fragment(Seq(node.child), Nil, support.columnsOf(node.child), standsAlone(node.child, support)))

  private def standsAlone(node: SparkPlan, support: PlanSupport): Boolean =
    support.fragment(node).fold(_ => true, _.standsAlone)

  /** The same rows once more, under other names. */
  private def reused(node: ReusedExchangeExec, support: PlanSupport): Outcome = {
    val columns = support.columnsOf(node.child)
    val renamed = node.child.output.map(_.exprId).zip(node.output.map(_.exprId)).toMap
    val ids = columns.ids.map(id => renamed.getOrElse(id, id))
    Right(Fragment(Seq(node.child), Nil, new Columns(ids), standsAlone(node.child, support)))
  }
}
