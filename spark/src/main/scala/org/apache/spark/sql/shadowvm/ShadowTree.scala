// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.execution.joins.BaseJoinExec

/** The operators of an island as Spark sees them from then on. */
private[shadowvm] object ShadowTree {
  def of(plan: SparkPlan, island: Island): ShadowResultExec = {
    val result = ShadowResultExec(shadow(plan), plan, island, island.subqueries)
    // Adaptive execution finds its way by logical links, which are tags.
    result.copyTagsFrom(plan)
    result
  }

  private def shadow(plan: SparkPlan): SparkPlan = {
    val children = plan.children.map(shadow)
    val drawn = plan match {
      case _: FileSourceScanExec => ShadowScanExec(plan)
      case _: FilterExec => ShadowFilterExec(plan, children.head)
      case _: ProjectExec => ShadowProjectExec(plan, children.head)
      case _: BaseAggregateExec => ShadowAggregateExec(plan, children.head)
      case _: SortExec => ShadowSortExec(plan, children.head)
      case _: TakeOrderedAndProjectExec => ShadowTopNExec(plan, children.head)
      case _: LimitExec => ShadowLimitExec(plan, children.head)
      case _: Exchange => ShadowExchangeExec(plan, children.head)
      case _: BaseJoinExec => ShadowJoinExec(plan, children(0), children(1))
      case _ => ShadowOtherExec(plan, children)
    }
    drawn.copyTagsFrom(plan)
    drawn
  }
}
