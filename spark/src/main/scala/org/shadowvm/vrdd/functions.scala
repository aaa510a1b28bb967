// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.vrdd

import java.time.LocalDate

import org.apache.spark.sql.types.{DataType, Decimal, DecimalType}
import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.proto.v1.{AggregateFunction, Operator}

/** What queries are written with. Import it, and not Spark's functions of the same names beside it. */
object functions {
  def col(name: String): Expr = Expr(_.setColumn(wire.ColumnRef.newBuilder().setName(name)))

  /** A constant, of the type that Spark gives the value. */
  def lit(value: Any): Expr = Expr.of(value)

  def nullLit(dataType: DataType): Expr = Expr(_.setLiteral(Constants.typed(null, dataType)))

  def dateLit(year: Int, month: Int, day: Int): Expr = lit(LocalDate.of(year, month, day))

  /** unscaled × 10^-scale: decimalLit(1250, 10, 2) is 12.50 as decimal(10,2). */
  def decimalLit(unscaled: BigInt, precision: Int, scale: Int): Expr = {
    val value = new java.math.BigDecimal(unscaled.bigInteger, scale)
    if (value.precision > precision) throw new IllegalArgumentException(s"$value is no decimal($precision,$scale)")
    Expr(_.setLiteral(Constants.typed(Decimal(value, precision, scale), DecimalType(precision, scale))))
  }

  def coalesce(args: Any*): Expr = Expr.call(Operator.OPERATOR_COALESCE, args: _*)
  def ifElse(condition: Expr, value: Any, otherwise: Any): Expr =
    Expr.call(Operator.OPERATOR_IF, condition, value, otherwise)
  def year(date: Expr): Expr = Expr.call(Operator.OPERATOR_YEAR, date)
  def month(date: Expr): Expr = Expr.call(Operator.OPERATOR_MONTH, date)
  def day(date: Expr): Expr = Expr.call(Operator.OPERATOR_DAY, date)

  /** when(a, x).when(b, y).otherwise(z); end in place of otherwise gives null. */
  def when(condition: Expr, value: Any): CaseBuilder =
    new CaseBuilder(wire.Case.getDefaultInstance).when(condition, value)

  def sum(argument: Expr): Agg = Agg.of(AggregateFunction.AGGREGATE_FUNCTION_SUM, argument)

  /** Of rows. */
  def count(): Agg = Agg.ofRows

  /** Of rows where the argument is not null. */
  def count(argument: Expr): Agg = Agg.of(AggregateFunction.AGGREGATE_FUNCTION_COUNT, argument)
  def min(argument: Expr): Agg = Agg.of(AggregateFunction.AGGREGATE_FUNCTION_MIN, argument)
  def max(argument: Expr): Agg = Agg.of(AggregateFunction.AGGREGATE_FUNCTION_MAX, argument)
  def avg(argument: Expr): Agg = Agg.of(AggregateFunction.AGGREGATE_FUNCTION_AVG, argument)

  def asc(column: String): Order = asc(col(column))
  def asc(key: Expr): Order = Order.by(key, descending = false)
  def desc(column: String): Order = desc(col(column))
  def desc(key: Expr): Order = Order.by(key, descending = true)

  /** A pair of join keys: columns of the same name, of two names, or expressions of the left and the right side. */
  def on(both: String): On = on(both, both)
  def on(left: String, right: String): On = on(col(left), col(right))
  def on(left: Expr, right: Expr): On = new On(left, right)
}
