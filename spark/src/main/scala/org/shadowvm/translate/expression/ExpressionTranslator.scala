// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal, NamedExpression}
import org.apache.spark.sql.types.DataType

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Columns, Reason, SessionFacts, SubqueryValues, WireLiterals, WireTypes}

/** Turns Catalyst expressions over 'columns' into those of a command. */
final class ExpressionTranslator(columns: Columns, val session: SessionFacts, val subqueries: SubqueryValues) {

  def apply(expression: Expression): Translation = expression match {
    case attribute: Attribute => column(attribute)
    case literal: Literal => constant(literal.value, literal.dataType)
    case other => byRule(other)
  }

  def all(expressions: Seq[Expression]): Either[Reason, Seq[wire.Expression]] =
    ExpressionTranslator.sequence(expressions.map(apply))

  def named(expression: NamedExpression): Either[Reason, wire.NamedExpression] =
    apply(expression).map { translated =>
      wire.NamedExpression.newBuilder().setName(expression.name).setExpression(translated).build()
    }

  def call(operator: wire.Operator, args: Expression*): Translation =
    call(operator, wire.EvalMode.EVAL_MODE_UNSPECIFIED, args: _*)

  def call(operator: wire.Operator, mode: wire.EvalMode, args: Expression*): Translation =
    all(args).map { translated =>
      val call = wire.Call.newBuilder().setOperator(operator).setEvalMode(mode)
      translated.foreach(arg => call.addArgs(arg))
      wire.Expression.newBuilder().setCall(call).build()
    }

  def constant(value: Any, dataType: DataType): Translation =
    WireLiterals.of(value, dataType).map(literal => wire.Expression.newBuilder().setLiteral(literal).build())

  private def column(attribute: Attribute): Translation =
    for {
      _ <- WireTypes.of(attribute.dataType)
      ordinal <- columns.ordinalOf(attribute.exprId).toRight(unknown(attribute))
    } yield ExpressionTranslator.column(ordinal)

  private def byRule(expression: Expression): Translation = {
    val name = expression.getClass.getSimpleName
    ExpressionTable.ruleOf(expression) match {
      case None => Left(Reason.expression(expression))
      case Some(_) if !session.expressionEnabled(name) => Left(Reason.switchedOff(session.expressionKey(name)))
      case Some(rule) => rule(expression, this)
    }
  }

  private def unknown(attribute: Attribute): Reason =
    Reason("COLUMN", s"column ${attribute.name} does not come from the operator's input")
}

object ExpressionTranslator {

  def column(ordinal: Int): wire.Expression =
    wire.Expression.newBuilder().setColumn(wire.ColumnRef.newBuilder().setOrdinal(ordinal)).build()

  /** All of them, or the first reason. */
  def sequence[T](results: Seq[Either[Reason, T]]): Either[Reason, Seq[T]] =
    results.collectFirst { case Left(reason) => Left(reason) }
      .getOrElse(Right(results.collect { case Right(value) => value }))
}
