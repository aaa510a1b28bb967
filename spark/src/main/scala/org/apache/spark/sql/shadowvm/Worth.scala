// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.execution.{SortExec, SparkPlan, TakeOrderedAndProjectExec}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.shadowvm.settings.ShadowSettings
import org.shadowvm.translate.Reason

/** Whether an island pays. */
private[shadowvm] object Worth {

  /** A reason to leave the subtree to Spark, all of it. */
  def against(plan: SparkPlan, root: Boolean, bytes: Long, settings: ShadowSettings): Option[Reason] =
    if (!settings.scanOnly && !doesWork(plan, root)) Some(Reasons.LittleToDo)
    else if (bytes < settings.minBytes) Some(Reasons.tooSmall(bytes, settings.minBytes))
    else None

  /**
   * Rows come out of an island as one partition and are turned from columns into rows: that must be fewer than went in.
   * A join or a sort may keep them all; where its rows are the query's answer it pays nevertheless, while below
   * operators of Spark these would lose their parallel input. A limit alone does not count: Spark stops reading early.
   */
  private def doesWork(plan: SparkPlan, root: Boolean): Boolean = plan.exists {
    case _: BaseAggregateExec | _: TakeOrderedAndProjectExec => true
    case _: BaseJoinExec | _: SortExec => root
    case _ => false
  }
}
