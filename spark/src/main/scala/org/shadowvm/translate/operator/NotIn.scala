// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec
import org.apache.spark.sql.types.{DoubleType, FloatType}

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Columns, Fragment, PlanSupport, Reason}
import org.shadowvm.translate.expression.ExpressionTranslator
import org.shadowvm.translate.operator.Actions._

/**
 * NOT IN, Spark's null-aware anti join. It is an anti join but for nulls: one on the right side leaves no row, one on
 * the left is in no set but the empty one. So the right side is counted, the counts are put beside each left row by a
 * join on a constant, and rows are dropped by them before the anti join.
 */
object NotIn {

  def translate(node: BroadcastHashJoinExec, support: PlanSupport): Outcome =
    node.leftKeys.head.dataType match {
      // Of other joins' keys Spark makes one zero and one NaN; of these it compares the bits.
      case FloatType | DoubleType => Left(Seq(Reason("JOIN_KIND", "NOT IN of floats tells -0.0 from 0.0")))
      case _ => antiJoin(node, support)
    }

  private def antiJoin(node: BroadcastHashJoinExec, support: PlanSupport): Outcome = {
    val (left, right) = (support.columnsOf(node.left), support.columnsOf(node.right))
    for {
      leftKeys <- Joins.keys(node.leftKeys, left, support)
      rightKeys <- Joins.keys(node.rightKeys, right, support)
    } yield {
      val numRows = ExpressionTranslator.column(left.ids.length)
      val numKeys = ExpressionTranslator.column(left.ids.length + 1)
      val mayStay = call(wire.Operator.OPERATOR_OR,
        call(wire.Operator.OPERATOR_EQUAL, numRows, literal(0L)),
        call(wire.Operator.OPERATOR_AND,
          call(wire.Operator.OPERATOR_EQUAL, numRows, numKeys),
          call(wire.Operator.OPERATOR_IS_NOT_NULL, leftKeys.head)))
      val actions = Seq(
        counts(rightKeys.head),
        join(wire.JoinKind.JOIN_KIND_INNER, Seq(literal(1L)), Seq(literal(1L))),
        filter(mayStay),
        join(wire.JoinKind.JOIN_KIND_LEFT_ANTI, leftKeys, rightKeys))
      val columns = left ++ new Columns(IndexedSeq.fill(2)(NamedExpression.newExprId))
      // Places: 0 left, 1 right, 2 counts, 3 both, 4 those that may stay.
      Fragment(Seq(node.left, node.right), actions, columns, wiring = Seq(Seq(1), Seq(0, 2), Seq(3), Seq(4, 1)))
    }
  }

  /** Of rows, and of those with a key. */
  private def counts(key: wire.Expression): wire.Action =
    aggregate(Nil, Seq(
      aggregateCall(wire.AggregateFunction.AGGREGATE_FUNCTION_COUNT_ALL),
      aggregateCall(wire.AggregateFunction.AGGREGATE_FUNCTION_COUNT).setArgument(key)))

  private def literal(value: Long): wire.Expression = {
    val int64 = wire.Type.newBuilder().setKind(wire.TypeKind.TYPE_KIND_INT64)
    wire.Expression.newBuilder().setLiteral(wire.Literal.newBuilder().setType(int64).setIntValue(value)).build()
  }
}
