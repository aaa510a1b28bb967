// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.shadowvm.proto.{v1 => wire}

/** Actions and calls of operators that become more than one action. */
private[operator] object Actions {

  /** Builds the right side. */
  def join(kind: wire.JoinKind, left: Seq[wire.Expression], right: Seq[wire.Expression]): wire.Action = {
    val join = wire.Join.newBuilder().setKind(kind).setBuildSide(wire.BuildSide.BUILD_SIDE_RIGHT)
    left.foreach(key => join.addLeftKeys(key))
    right.foreach(key => join.addRightKeys(key))
    wire.Action.newBuilder().setJoin(join).build()
  }

  def filter(condition: wire.Expression): wire.Action =
    wire.Action.newBuilder().setFilter(wire.Filter.newBuilder().addConditions(condition)).build()

  def aggregate(keys: Seq[wire.Expression], calls: Seq[wire.AggregateCall.Builder]): wire.Action = {
    val aggregate = wire.Aggregate.newBuilder()
    keys.foreach(key => aggregate.addKeys(wire.NamedExpression.newBuilder().setExpression(key)))
    calls.foreach(call => aggregate.addAggregates(call))
    wire.Action.newBuilder().setAggregate(aggregate).build()
  }

  def aggregateCall(function: wire.AggregateFunction): wire.AggregateCall.Builder =
    wire.AggregateCall.newBuilder().setFunction(function)

  def call(operator: wire.Operator, args: wire.Expression*): wire.Expression = {
    val call = wire.Call.newBuilder().setOperator(operator)
    args.foreach(arg => call.addArgs(arg))
    wire.Expression.newBuilder().setCall(call).build()
  }
}
