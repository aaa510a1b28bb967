// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.catalyst.expressions.{InputFileBlockLength, InputFileBlockStart, InputFileName, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, Distribution, UnspecifiedDistribution}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.command.DataWritingCommandExec
import org.apache.spark.sql.execution.datasources.WriteFilesExec
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, Exchange, ShuffleExchangeLike}
import org.shadowvm.translate.Reason

/**
 * Where rows lie and in which order. Spark has put its exchanges and sorts already when our rule runs, and left those
 * out that it did not need; an island gives all its rows as one partition, so that it may only end where nobody counts
 * on another layout.
 */
private[shadowvm] object Layout {

  /** Whether the rows of this child must lie as Spark has planned it. */
  def reliesOn(parent: SparkPlan, child: Int, parentRelied: Boolean): Boolean = parent match {
    case _: Exchange | _: TakeOrderedAndProjectExec | _: CollectLimitExec => false // give rows a new layout
    case _ =>
      parentRelied || parent.requiredChildDistribution.lift(child).exists(asksForLayout) ||
      parent.requiredChildOrdering.lift(child).exists(_.nonEmpty) || asksForFile(parent)
  }

  /** Spark's scan tells the expressions of its task which file it is at. */
  private def asksForFile(plan: SparkPlan): Boolean = plan.expressions.exists(_.exists {
    case _: InputFileName | _: InputFileBlockStart | _: InputFileBlockLength => true
    case _ => false
  })

  private def asksForLayout(distribution: Distribution): Boolean = distribution match {
    case UnspecifiedDistribution | AllTuples => false // one partition is all that is asked for
    case _ => true
  }

  /** The operator hands the rows of its child to the user or a file as they are. */
  def passesRowsOn(parent: SparkPlan): Boolean = parent match {
    case _: DataWritingCommandExec | _: WriteFilesExec => true
    case _ => false
  }

  def cannotEndAt(plan: SparkPlan, relied: Boolean): Option[Reason] = plan match {
    case _ if relied => Some(Reasons.LayoutRelied)
    case _ if keepsRepartitioning(plan) => Some(Reasons.Repartition)
    case _ if hasOrderOfInput(plan) => Some(Reasons.OrderOfInput)
    case _ => None
  }

  /** The rows lie as the user has asked for, in so many words: here Spark keeps that promise in all of its plans. */
  private def keepsRepartitioning(plan: SparkPlan): Boolean = plan match {
    case _: ProjectExec | _: FilterExec => keepsRepartitioning(plan.children.head)
    case sort: SortExec if !sort.global => keepsRepartitioning(sort.child)
    case shuffle: ShuffleExchangeLike => shuffle.shuffleOrigin != ENSURE_REQUIREMENTS
    case _ => false
  }

  /** The order that an island keeps: that of a sort in it, with nothing but row-wise operators above. */
  def order(plan: SparkPlan): Seq[SortOrder] = plan match {
    case _: SortExec | _: TakeOrderedAndProjectExec => plan.outputOrdering
    case _: ProjectExec | _: FilterExec | _: LimitExec if order(plan.children.head).nonEmpty => plan.outputOrdering
    case _ => Nil
  }

  /**
   * Spark leaves out the user's sort where rows come sorted by a merge join or a sorted aggregate and lie in one
   * partition. The node joins and aggregates in another way.
   */
  private def hasOrderOfInput(plan: SparkPlan): Boolean =
    plan.outputOrdering.nonEmpty && order(plan).isEmpty && plan.outputPartitioning.numPartitions == 1
}
