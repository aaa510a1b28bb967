// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.catalyst.expressions.{Descending, NullsFirst, SortOrder}
import org.apache.spark.sql.execution.SortExec

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Columns, Fragment, PlanSupport, Reason}

/** Sorts. One that is local to partitions sorts all rows: its reader sees one partition. */
object Sorts {

  val rules: Seq[(Class[_], OperatorRule)] = Seq(on[SortExec]((node, support) => {
    val columns = support.columnsOf(node.child)
    keys(node.sortOrder, columns, support).map { keys =>
      val sort = wire.Sort.newBuilder()
      keys.foreach(key => sort.addKeys(key))
      Fragment(Seq(node.child), Seq(wire.Action.newBuilder().setSort(sort).build()), columns)
    }
  }))

  def keys(order: Seq[SortOrder], columns: Columns, support: PlanSupport): Either[Seq[Reason], Seq[wire.SortKey]] = {
    val translate = support.expressions(columns)
    collectAll(order.map { one =>
      translate(one.child).map { expression =>
        val nulls = if (one.nullOrdering == NullsFirst) wire.NullOrder.NULL_ORDER_FIRST
        else wire.NullOrder.NULL_ORDER_LAST
        wire.SortKey.newBuilder()
          .setExpression(expression).setDescending(one.direction == Descending).setNullOrder(nulls).build()
      }
    })
  }
}
