// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.vrdd

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.shadowvm.Frames
import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.proto.v1.JoinKind

/**
 * A query so far: a value. A frame used twice in one query is computed once. Nothing runs, and nothing is checked,
 * before [[collect]], [[toDF]] or [[writeParquet]]; what fails there is a [[org.shadowvm.node.NodeFailure]].
 */
final class Frame private[vrdd] (session: ShadowSession, private[vrdd] val step: Step) {
  def filter(condition: Expr): Frame =
    andThen(_.setFilter(wire.Filter.newBuilder().addConditions(condition.proto)))

  /** The row becomes these. */
  def map(expressions: Named*): Frame = {
    val map = wire.Map.newBuilder()
    expressions.foreach(named => map.addExpressions(named.proto))
    andThen(_.setMap(map))
  }

  /** The same, as SQL calls it. */
  def select(expressions: Named*): Frame = map(expressions: _*)

  /** Columns of the result: this frame's, then the other's. The other is held in memory and looked up. */
  def join(other: Frame, keys: On*): Frame = join(other, keys, JoinKind.JOIN_KIND_INNER)

  /** The rows that have a match in the other. */
  def semiJoin(other: Frame, keys: On*): Frame = join(other, keys, JoinKind.JOIN_KIND_LEFT_SEMI)

  /** The rows that have none. */
  def antiJoin(other: Frame, keys: On*): Frame = join(other, keys, JoinKind.JOIN_KIND_LEFT_ANTI)

  /** All rows; those without a match have nulls for the other's columns. */
  def leftJoin(other: Frame, keys: On*): Frame = join(other, keys, JoinKind.JOIN_KIND_LEFT_OUTER)

  def groupBy(keys: Named*): GroupedFrame = new GroupedFrame(this, keys)

  /** Over all rows: one row. */
  def agg(aggregates: Agg*): Frame = groupBy().agg(aggregates: _*)

  def orderBy(keys: Order*): Frame = {
    val sort = wire.Sort.newBuilder()
    keys.foreach(key => sort.addKeys(key.proto))
    andThen(_.setSort(sort))
  }

  def limit(count: Long, offset: Long = 0): Frame =
    andThen(_.setLimit(wire.Limit.newBuilder().setCount(rows(count)).setOffset(rows(offset))))

  def topN(count: Long, keys: Order*): Frame = {
    val top = wire.TopN.newBuilder().setCount(rows(count))
    keys.foreach(key => top.addKeys(key.proto))
    andThen(_.setTopN(top))
  }

  /** Runs the query in the node, as one job of Spark's. */
  def collect(): Array[Row] = Frames.collect(session.spark, toCommand)

  /**
   * Runs the query in the node now; the rows are one partition, ordered as the query says. Small answers come to the
   * driver. A large one stays in the node until the first action reads it, and every further action runs it again.
   */
  def toDF(): DataFrame = Frames.toDF(session.spark, toCommand)

  /** The file appears whole or not at all. */
  def writeParquet(path: String): Unit = {
    val parquet = wire.Sink.Parquet.newBuilder().setPath(LocalPath.of(path))
    Frames.collect(session.spark, andThen(_.setSink(wire.Sink.newBuilder().setParquet(parquet))).toCommand)
  }

  /** The command that [[collect]] would run. */
  def toCommand: wire.Command = Step.command(step, Frames.settings(session.spark))

  private[vrdd] def andThen(fill: wire.Action.Builder => wire.Action.Builder): Frame = after(Seq(step), fill)

  /** Of the session of the left side. */
  private def join(other: Frame, keys: Seq[On], kind: JoinKind): Frame = {
    val join = wire.Join.newBuilder().setKind(kind)
    keys.foreach(key => join.addLeftKeys(key.left.proto).addRightKeys(key.right.proto))
    after(Seq(step, other.step), _.setJoin(join))
  }

  private def after(inputs: Seq[Step], fill: wire.Action.Builder => wire.Action.Builder): Frame =
    new Frame(session, new Step(fill(wire.Action.newBuilder()).build(), inputs))

  private def rows(count: Long): Long =
    if (count >= 0) count else throw new IllegalArgumentException(s"$count is no number of rows")
}

/** A frame whose rows are grouped. */
final class GroupedFrame private[vrdd] (frame: Frame, keys: Seq[Named]) {

  /** Columns of the result: the keys, then these. */
  def agg(aggregates: Agg*): Frame = {
    val aggregate = wire.Aggregate.newBuilder()
    keys.foreach(key => aggregate.addKeys(key.proto))
    aggregates.foreach(call => aggregate.addAggregates(call.proto))
    frame.andThen(_.setAggregate(aggregate))
  }
}
