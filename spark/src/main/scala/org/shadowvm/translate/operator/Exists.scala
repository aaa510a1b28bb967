// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.catalyst.expressions.{EqualTo, Expression, GreaterThan, GreaterThanOrEqual, LessThan}
import org.apache.spark.sql.catalyst.expressions.{LessThanOrEqual, NamedExpression, Not}
import org.apache.spark.sql.catalyst.plans.LeftSemi
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.apache.spark.sql.types.{BinaryType, BooleanType, DataType, DoubleType, FloatType}

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Columns, Fragment, PlanSupport, Reason}
import org.shadowvm.translate.expression.{ExpressionTranslator, Wrappers}
import org.shadowvm.translate.operator.Actions._

/**
 * Semi and anti joins with one comparison beside their keys, as in EXISTS (… AND r.x <> l.x). Some row of the right
 * side compares so with the left one if and only if the least or the greatest of its values does. So the right side is
 * grouped by its keys, which then meet a left row at most once, and the comparison is a filter above that join.
 */
object Exists {

  def translate(
      node: BaseJoinExec,
      left: SparkPlan,
      right: SparkPlan,
      condition: Expression,
      support: PlanSupport): Outcome =
    comparisonOf(condition, node).toRight(Seq(unsupported(node))).flatMap { comparison =>
      val (leftColumns, rightColumns) = (support.columnsOf(left), support.columnsOf(right))
      for {
        leftKeys <- Joins.keys(node.leftKeys, leftColumns, support)
        rightKeys <- Joins.keys(node.rightKeys, rightColumns, support)
        sides <- collectAll(Seq(
          support.expressions(leftColumns)(Wrappers.key(comparison.left)),
          support.expressions(rightColumns)(Wrappers.key(comparison.right))))
      } yield {
        val numLeft = leftColumns.ids.length
        val keys = rightKeys.indices.map(ExpressionTranslator.column)
        val least = ExpressionTranslator.column(numLeft + keys.length)
        val greatest = ExpressionTranslator.column(numLeft + keys.length + 1)
        val holds = comparison.holds(sides.head, least, greatest)
        val semi = node.joinType == LeftSemi
        val kind = if (semi) wire.JoinKind.JOIN_KIND_INNER else wire.JoinKind.JOIN_KIND_LEFT_OUTER
        val actions = Seq(
          extremes(rightKeys, sides(1)),
          join(kind, leftKeys, keys),
          filter(if (semi) holds else not(holds)))
        val columns = leftColumns ++ new Columns(IndexedSeq.fill(keys.length + 2)(NamedExpression.newExprId))
        // Places: 0 left, 1 right, 2 groups, 3 both.
        Fragment(Seq(left, right), actions, columns, wiring = Seq(Seq(1), Seq(0, 2), Seq(3)))
      }
    }

  def unsupported(node: BaseJoinExec): Reason =
    Reason("JOIN_CONDITION", s"${node.joinType.sql} joins with a further condition other than one comparison")

  /** left operator right, of the one side and the other. */
  private final case class Comparison(left: Expression, operator: wire.Operator, right: Expression) {
    def holds(value: wire.Expression, least: wire.Expression, greatest: wire.Expression): wire.Expression =
      operator match {
        case wire.Operator.OPERATOR_NOT_EQUAL =>
          call(wire.Operator.OPERATOR_OR, call(operator, value, least), call(operator, value, greatest))
        case wire.Operator.OPERATOR_LESS | wire.Operator.OPERATOR_LESS_EQUAL => call(operator, value, greatest)
        case _ => call(operator, value, least)
      }

    def mirrored: Comparison = Comparison(right, Exists.mirror.getOrElse(operator, operator), left)
  }

  private val mirror: Map[wire.Operator, wire.Operator] = Map(
    wire.Operator.OPERATOR_LESS -> wire.Operator.OPERATOR_GREATER,
    wire.Operator.OPERATOR_LESS_EQUAL -> wire.Operator.OPERATOR_GREATER_EQUAL,
    wire.Operator.OPERATOR_GREATER -> wire.Operator.OPERATOR_LESS,
    wire.Operator.OPERATOR_GREATER_EQUAL -> wire.Operator.OPERATOR_LESS_EQUAL)

  private def comparisonOf(condition: Expression, node: BaseJoinExec): Option[Comparison] = {
    val found = condition match {
      case Not(EqualTo(left, right)) => Some(Comparison(left, wire.Operator.OPERATOR_NOT_EQUAL, right))
      case LessThan(left, right) => Some(Comparison(left, wire.Operator.OPERATOR_LESS, right))
      case LessThanOrEqual(left, right) => Some(Comparison(left, wire.Operator.OPERATOR_LESS_EQUAL, right))
      case GreaterThan(left, right) => Some(Comparison(left, wire.Operator.OPERATOR_GREATER, right))
      case GreaterThanOrEqual(left, right) => Some(Comparison(left, wire.Operator.OPERATOR_GREATER_EQUAL, right))
      case _ => None
    }
    found.flatMap(comparison => Seq(comparison, comparison.mirrored).find(isAcross(_, node)))
  }

  private def isAcross(comparison: Comparison, node: BaseJoinExec): Boolean =
    comparison.left.references.subsetOf(node.left.outputSet) &&
      comparison.right.references.subsetOf(node.right.outputSet) &&
      comparison.right.references.nonEmpty &&
      comparison.left.dataType == comparison.right.dataType && hasExtremes(comparison.right.dataType) &&
      comparison.left.deterministic && comparison.right.deterministic

  /** Floats are left out for their NaN and zeroes, which nobody compares so. */
  private def hasExtremes(dataType: DataType): Boolean = dataType match {
    case BinaryType | BooleanType | FloatType | DoubleType => false
    case _ => true
  }

  private def extremes(keys: Seq[wire.Expression], value: wire.Expression): wire.Action =
    aggregate(keys, Seq(
      aggregateCall(wire.AggregateFunction.AGGREGATE_FUNCTION_MIN).setArgument(value),
      aggregateCall(wire.AggregateFunction.AGGREGATE_FUNCTION_MAX).setArgument(value)))

  /** A row stays in an anti join where nothing compares so, also because a value is unknown. */
  private def not(condition: wire.Expression): wire.Expression = {
    val no = wire.Literal.newBuilder().setType(wire.Type.newBuilder().setKind(wire.TypeKind.TYPE_KIND_BOOL))
      .setBoolValue(false)
    val known = call(wire.Operator.OPERATOR_COALESCE, condition, wire.Expression.newBuilder().setLiteral(no).build())
    call(wire.Operator.OPERATOR_NOT, known)
  }
}
