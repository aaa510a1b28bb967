// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.vrdd

import org.apache.spark.sql.types.DataType
import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.proto.v1.{EvalMode, Operator}

/**
 * An expression: `col("lo_discount").between(1, 3) && col("lo_quantity") < 25`. It holds names and no types; what is
 * wrong with it is said when the query is run. Where it takes Any, whatever is no expression becomes a constant.
 */
final class Expr private[vrdd] (private[vrdd] val proto: wire.Expression) {
  def +(other: Any): Expr = call(Operator.OPERATOR_ADD, other)
  def -(other: Any): Expr = call(Operator.OPERATOR_SUBTRACT, other)
  def *(other: Any): Expr = call(Operator.OPERATOR_MULTIPLY, other)

  /** Integers give a double. */
  def /(other: Any): Expr = call(Operator.OPERATOR_DIVIDE, other)
  def %(other: Any): Expr = call(Operator.OPERATOR_MODULO, other)
  def unary_- : Expr = call(Operator.OPERATOR_NEGATE)

  def ===(other: Any): Expr = call(Operator.OPERATOR_EQUAL, other)
  def =!=(other: Any): Expr = call(Operator.OPERATOR_NOT_EQUAL, other)
  def <(other: Any): Expr = call(Operator.OPERATOR_LESS, other)
  def <=(other: Any): Expr = call(Operator.OPERATOR_LESS_EQUAL, other)
  def >(other: Any): Expr = call(Operator.OPERATOR_GREATER, other)
  def >=(other: Any): Expr = call(Operator.OPERATOR_GREATER_EQUAL, other)

  /** Never null: null equals null alone. */
  def <=>(other: Any): Expr = call(Operator.OPERATOR_EQUAL_NULL_SAFE, other)

  /** Both ends included. */
  def between(low: Any, high: Any): Expr = call(Operator.OPERATOR_BETWEEN, low, high)

  /** Three-valued, as are || and !. */
  def &&(other: Any): Expr = call(Operator.OPERATOR_AND, other)
  def ||(other: Any): Expr = call(Operator.OPERATOR_OR, other)
  def unary_! : Expr = call(Operator.OPERATOR_NOT)
  def isNull: Expr = call(Operator.OPERATOR_IS_NULL)
  def isNotNull: Expr = call(Operator.OPERATOR_IS_NOT_NULL)

  /** Of constants only. */
  def in(items: Any*): Expr = membership(items, negated = false)
  def notIn(items: Any*): Expr = membership(items, negated = true)

  /** The escape is one character; empty: the backslash. */
  def like(pattern: String, escape: String = ""): Expr = matching(pattern, escape, negated = false)
  def notLike(pattern: String, escape: String = ""): Expr = matching(pattern, escape, negated = true)
  def startsWith(prefix: Any): Expr = call(Operator.OPERATOR_STARTS_WITH, prefix)
  def endsWith(suffix: Any): Expr = call(Operator.OPERATOR_ENDS_WITH, suffix)
  def contains(part: Any): Expr = call(Operator.OPERATOR_CONTAINS, part)

  def cast(to: DataType): Expr = casting(to, EvalMode.EVAL_MODE_UNSPECIFIED)

  /** Null where the value does not fit. */
  def tryCast(to: DataType): Expr = casting(to, EvalMode.EVAL_MODE_TRY)

  def as(name: String): Named = Named(name, this)

  override def toString: String = proto.toString

  private def call(operator: Operator, others: Any*): Expr = Expr.call(operator, this +: others: _*)

  private def membership(items: Seq[Any], negated: Boolean): Expr = {
    val list = wire.InList.newBuilder().setValue(proto).setNegated(negated)
    items.map(Expr.of).foreach { item =>
      if (!item.proto.hasLiteral) throw new IllegalArgumentException(s"a list of constants holds the expression $item")
      list.addItems(item.proto.getLiteral)
    }
    Expr(_.setInList(list))
  }

  private def matching(pattern: String, escape: String, negated: Boolean): Expr =
    Expr(_.setLike(
      wire.Like.newBuilder().setValue(proto).setPattern(pattern).setEscape(escape).setNegated(negated)))

  private def casting(to: DataType, mode: EvalMode): Expr =
    Expr(_.setCast(wire.Cast.newBuilder().setArg(proto).setType(Constants.typeOf(to)).setEvalMode(mode)))
}

private[vrdd] object Expr {
  def apply(fill: wire.Expression.Builder => wire.Expression.Builder): Expr =
    new Expr(fill(wire.Expression.newBuilder()).build())

  def of(value: Any): Expr = value match {
    case expr: Expr => expr
    case constant => Expr(_.setLiteral(Constants.of(constant)))
  }

  def call(operator: Operator, args: Any*): Expr = {
    val call = wire.Call.newBuilder().setOperator(operator)
    args.foreach(arg => call.addArgs(of(arg).proto))
    Expr(_.setCall(call))
  }
}
