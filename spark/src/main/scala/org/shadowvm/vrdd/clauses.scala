// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.vrdd

import scala.language.implicitConversions

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.proto.v1.{AggregateFunction, NullOrder}

/** An expression with the name of its result; an empty one: that of the column it is, or a text of the expression. */
final case class Named private[vrdd] (name: String, expr: Expr) {
  private[vrdd] def proto: wire.NamedExpression =
    wire.NamedExpression.newBuilder().setName(name).setExpression(expr.proto).build()
}

object Named {
  implicit def column(name: String): Named = Named(name, functions.col(name))
  implicit def unnamed(expr: Expr): Named = Named("", expr)
}

/** A pair of join keys. */
final class On private[vrdd] (private[vrdd] val left: Expr, private[vrdd] val right: Expr)

final class Agg private[vrdd] (private[vrdd] val proto: wire.AggregateCall) {
  def as(name: String): Agg = new Agg(proto.toBuilder.setName(name).build())
}

private[vrdd] object Agg {
  def of(function: AggregateFunction, argument: Expr): Agg =
    new Agg(wire.AggregateCall.newBuilder().setFunction(function).setArgument(argument.proto).build())

  def ofRows: Agg =
    new Agg(wire.AggregateCall.newBuilder().setFunction(AggregateFunction.AGGREGATE_FUNCTION_COUNT_ALL).build())
}

/** Order by one key. Nulls come first when ascending, last when descending, unless said. */
final class Order private[vrdd] (private[vrdd] val proto: wire.SortKey) {
  def nullsFirst: Order = new Order(proto.toBuilder.setNullOrder(NullOrder.NULL_ORDER_FIRST).build())
  def nullsLast: Order = new Order(proto.toBuilder.setNullOrder(NullOrder.NULL_ORDER_LAST).build())
}

private[vrdd] object Order {
  def by(key: Expr, descending: Boolean): Order =
    new Order(wire.SortKey.newBuilder().setExpression(key.proto).setDescending(descending).build())
}

/** A case that still takes branches. */
final class CaseBuilder private[vrdd] (proto: wire.Case) {
  def when(condition: Expr, value: Any): CaseBuilder = {
    val branch = wire.Case.Branch.newBuilder().setCondition(condition.proto).setValue(Expr.of(value).proto)
    new CaseBuilder(proto.toBuilder.addBranches(branch).build())
  }

  def otherwise(value: Any): Expr = Expr(_.setCase(proto.toBuilder.setOtherwise(Expr.of(value).proto)))

  def end: Expr = Expr(_.setCase(proto))
}
