// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

import java.nio.file.Path

import org.shadowvm.proto.v1._

/** Commands written by hand. */
object TestCommands {
  def scan(table: Path, columns: String*): Array[Byte] = command(scanAction(1, table, columns))

  def countRows(table: Path): Array[Byte] = {
    val call = AggregateCall.newBuilder.setFunction(AggregateFunction.AGGREGATE_FUNCTION_COUNT_ALL).setName("n")
    command(
      scanAction(1, table, Nil),
      Action.newBuilder.setId(2).addInputs(1).setAggregate(Aggregate.newBuilder.addAggregates(call)).build)
  }

  /** Every line of the orders with every other: minutes of work, and no answer to speak of. */
  def endless(lineorder: Path): Array[Byte] = {
    val join = Join.newBuilder.setKind(JoinKind.JOIN_KIND_INNER)
      .addLeftKeys(column("lo_shippriority")).addRightKeys(column("other_priority"))
    val renamed = Map.newBuilder
      .addExpressions(NamedExpression.newBuilder.setName("other_priority").setExpression(column("lo_shippriority")))
      .addExpressions(NamedExpression.newBuilder.setName("other_tax").setExpression(column("lo_tax")))
    val most = AggregateCall.newBuilder.setFunction(AggregateFunction.AGGREGATE_FUNCTION_MAX)
      .setArgument(column("other_tax")).setName("m")
    command(
      scanAction(1, lineorder, Seq("lo_shippriority", "lo_quantity")),
      scanAction(2, lineorder, Seq("lo_shippriority", "lo_tax")),
      Action.newBuilder.setId(3).addInputs(2).setMap(renamed).build,
      Action.newBuilder.setId(4).addInputs(1).addInputs(3).setJoin(join).build,
      Action.newBuilder.setId(5).addInputs(4).setAggregate(Aggregate.newBuilder.addAggregates(most)).build)
  }

  private def command(actions: Action*): Array[Byte] = {
    val command = Command.newBuilder.setProtocolVersion(1).setRoot(actions.last.getId)
    actions.foreach(command.addActions(_))
    command.build.toByteArray
  }

  private def scanAction(id: Int, table: Path, columns: Seq[String]): Action = {
    val scan = Scan.newBuilder.setFiles(Files.newBuilder.addPaths(table.toString))
    columns.foreach(scan.addColumns)
    Action.newBuilder.setId(id).setScan(scan).build
  }

  private def column(name: String): Expression =
    Expression.newBuilder.setColumn(ColumnRef.newBuilder.setName(name)).build
}
