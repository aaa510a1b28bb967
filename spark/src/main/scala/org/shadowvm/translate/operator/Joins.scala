// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildRight, BuildSide}
import org.apache.spark.sql.catalyst.plans.{Inner, InnerLike, JoinType, LeftAnti, LeftOuter, LeftSemi, RightOuter}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins._

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Columns, Fragment, PlanSupport, Reason}
import org.shadowvm.translate.expression.Wrappers

/** Joins on equal keys. */
object Joins {

  val rules: Seq[(Class[_], OperatorRule)] = Seq(
    on[BroadcastHashJoinExec]((node, support) =>
      if (node.isNullAwareAntiJoin) NotIn.translate(node, support)
      else join(node, node.buildSide, node.left, node.right, support)),
    on[ShuffledHashJoinExec]((node, support) => join(node, node.buildSide, node.left, node.right, support)),
    on[SortMergeJoinExec]((node, support) => {
      val (left, right) = (Vanishing.skip(node.left), Vanishing.skip(node.right))
      join(node, smallerSide(node.joinType, left, right, support), left, right, support)
    })
  )

  private def join(
      node: BaseJoinExec,
      side: BuildSide,
      left: SparkPlan,
      right: SparkPlan,
      support: PlanSupport): Outcome = node.joinType match {
    // The node keeps all rows of the left side and looks them up in the other; columns go by their ids.
    case RightOuter => sides(node, BuildRight, Side(right, node.rightKeys), Side(left, node.leftKeys), support)
    case LeftOuter => sides(node, BuildRight, Side(left, node.leftKeys), Side(right, node.rightKeys), support)
    case LeftSemi | LeftAnti if node.condition.isDefined =>
      Exists.translate(node, left, right, node.condition.get, support)
    case _ => sides(node, side, Side(left, node.leftKeys), Side(right, node.rightKeys), support)
  }

  private final case class Side(plan: SparkPlan, keys: Seq[Expression])

  private def sides(node: BaseJoinExec, built: BuildSide, left: Side, right: Side, support: PlanSupport): Outcome = {
    val (leftColumns, rightColumns) = (support.columnsOf(left.plan), support.columnsOf(right.plan))
    val both = leftColumns ++ rightColumns
    for {
      kind <- kindOf(node.joinType, node.condition, built)
      leftKeys <- keys(left.keys, leftColumns, support)
      rightKeys <- keys(right.keys, rightColumns, support)
      filter <- RowSteps.filter(node.condition.getOrElse(Literal.TrueLiteral), both, support)
    } yield {
      val join = wire.Join.newBuilder().setKind(kind).setBuildSide(sideOf(built))
      leftKeys.foreach(key => join.addLeftKeys(key))
      rightKeys.foreach(key => join.addRightKeys(key))
      val columns = if (givesPairs(kind)) both else leftColumns
      Fragment(Seq(left.plan, right.plan), wire.Action.newBuilder().setJoin(join).build() +: filter, columns)
    }
  }

  private def givesPairs(kind: wire.JoinKind): Boolean =
    kind == wire.JoinKind.JOIN_KIND_INNER || kind == wire.JoinKind.JOIN_KIND_LEFT_OUTER

  /** A condition beside the keys is a filter above an inner join; the others would need it inside. */
  private def kindOf(
      joinType: JoinType,
      condition: Option[Expression],
      side: BuildSide): Either[Seq[Reason], wire.JoinKind] = joinType match {
    case _: InnerLike => Right(wire.JoinKind.JOIN_KIND_INNER)
    case LeftOuter | RightOuter if condition.isDefined =>
      Left(Seq(Reason("JOIN_CONDITION", s"${joinType.sql} joins with a further condition are not supported")))
    case LeftSemi | LeftAnti if side == BuildLeft =>
      Left(Seq(Reason("BUILD_SIDE", s"${joinType.sql} joins that build their left side are not supported")))
    case LeftSemi => Right(wire.JoinKind.JOIN_KIND_LEFT_SEMI)
    case LeftAnti => Right(wire.JoinKind.JOIN_KIND_LEFT_ANTI)
    case LeftOuter | RightOuter => Right(wire.JoinKind.JOIN_KIND_LEFT_OUTER)
    case other => Left(Seq(Reason("JOIN_KIND", s"${other.sql} joins are not supported")))
  }

  private[operator] def keys(
      keys: Seq[Expression],
      columns: Columns,
      support: PlanSupport): Either[Seq[Reason], Seq[wire.Expression]] = {
    val translate = support.expressions(columns)
    if (keys.isEmpty) Left(Seq(Reason("JOIN_KEYS", "joins without equal keys are not supported")))
    else collectAll(keys.map(key => translate(Wrappers.key(key))))
  }

  private def sideOf(side: BuildSide): wire.BuildSide = side match {
    case BuildLeft => wire.BuildSide.BUILD_SIDE_LEFT
    case BuildRight => wire.BuildSide.BUILD_SIDE_RIGHT
  }

  /** Spark chose no side; only an inner join has the choice. */
  private def smallerSide(joinType: JoinType, left: SparkPlan, right: SparkPlan, support: PlanSupport): BuildSide =
    if (joinType == Inner && sizeOf(left, support) < sizeOf(right, support)) BuildLeft else BuildRight

  /** By Spark's estimate, which knows of filters; else by the files. */
  private def sizeOf(side: SparkPlan, support: PlanSupport): BigInt =
    side.logicalLink.map(_.stats.sizeInBytes).getOrElse(BigInt(support.inputBytes(side)))
}
