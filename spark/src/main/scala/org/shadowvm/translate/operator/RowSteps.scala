// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.execution.{FilterExec, ProjectExec}

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Columns, Fragment, PlanSupport, Reason}

/** Operators that look at one row at a time. */
object RowSteps {

  val rules: Seq[(Class[_], OperatorRule)] = Seq(
    on[FilterExec]((node, support) => {
      val columns = support.columnsOf(node.child)
      filter(node.condition, columns, support).map(Fragment(Seq(node.child), _, columns))
    }),
    on[ProjectExec]((node, support) => {
      val columns = support.columnsOf(node.child)
      map(node.projectList, columns, support).map { case (actions, result) =>
        Fragment(Seq(node.child), actions, result)
      }
    })
  )

  /** The rows for which the condition is true; nothing where it always is. */
  def filter(condition: Expression, columns: Columns, support: PlanSupport): Either[Seq[Reason], Seq[wire.Action]] = {
    val translate = support.expressions(columns)
    collectAll(conjuncts(condition).filterNot(changesNothing).map(translate(_))).map { conditions =>
      val filter = wire.Filter.newBuilder()
      conditions.foreach(condition => filter.addConditions(condition))
      if (conditions.isEmpty) Nil else Seq(wire.Action.newBuilder().setFilter(filter).build())
    }
  }

  /** Rows made of these expressions; nothing where they are the columns that are there, or none at all. */
  def map(
      expressions: Seq[NamedExpression],
      columns: Columns,
      support: PlanSupport): Either[Seq[Reason], (Seq[wire.Action], Columns)] =
    if (expressions.isEmpty || isIdentity(expressions, columns)) Right((Nil, columns))
    else {
      val translate = support.expressions(columns)
      collectAll(expressions.map(translate.named)).map { named =>
        val map = wire.Map.newBuilder()
        named.foreach(expression => map.addExpressions(expression))
        (Seq(wire.Action.newBuilder().setMap(map).build()), Columns.of(expressions.map(_.toAttribute)))
      }
    }

  private def isIdentity(expressions: Seq[NamedExpression], columns: Columns): Boolean =
    expressions.forall(_.isInstanceOf[Attribute]) && columns.are(expressions.map(_.toAttribute))

  private def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }

  /** Also what Spark adds below a join to drop rows early: the join itself drops the same ones. */
  private def changesNothing(condition: Expression): Boolean = condition match {
    case Literal.TrueLiteral | _: DynamicPruningExpression | _: BloomFilterMightContain => true
    case _ => false
  }
}
