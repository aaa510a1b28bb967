// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.execution._

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Fragment, PlanSupport}

/** Limits. Spark counts the rows that an offset skips among those of the limit; commands do not. */
object Limits {

  val rules: Seq[(Class[_], OperatorRule)] = Seq(
    on[CollectLimitExec]((node, support) => limit(node, node.limit, node.offset, support)),
    on[GlobalLimitExec]((node, support) => limit(node, node.limit, node.offset, support)),
    on[LocalLimitExec]((node, support) => limit(node, node.limit, 0, support)),
    on[TakeOrderedAndProjectExec](topN)
  )

  private def limit(node: UnaryExecNode, limit: Int, offset: Int, support: PlanSupport): Outcome = {
    val action = wire.Limit.newBuilder().setCount(countOf(limit, offset)).setOffset(offset)
    val columns = support.columnsOf(node.child)
    Right(Fragment(Seq(node.child), Seq(wire.Action.newBuilder().setLimit(action).build()), columns))
  }

  private def topN(node: TakeOrderedAndProjectExec, support: PlanSupport): Outcome = {
    val columns = support.columnsOf(node.child)
    for {
      keys <- Sorts.keys(node.sortOrder, columns, support)
      projected <- RowSteps.map(node.projectList, columns, support)
    } yield {
      val top = wire.TopN.newBuilder().setCount(countOf(node.limit, node.offset)).setOffset(node.offset)
      keys.foreach(key => top.addKeys(key))
      val (map, result) = projected
      Fragment(Seq(node.child), wire.Action.newBuilder().setTopN(top).build() +: map, result)
    }
  }

  /** A limit of -1 is none. */
  private def countOf(limit: Int, offset: Int): Long = if (limit < 0) Long.MaxValue else math.max(0, limit - offset)
}
