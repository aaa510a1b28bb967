// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import java.util.IdentityHashMap

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.Exchange

import org.shadowvm.translate.expression.ExpressionTranslator
import org.shadowvm.translate.operator.{FileListing, OperatorTable}

/**
 * Answers, for the nodes of one plan, what can run in the node and what it becomes there. Each node is looked at once,
 * and its files are listed once. For one thread and one pass over a plan: files and settings are as they were then.
 */
final class PlanSupport private (
    val session: SessionFacts,
    private[translate] val listing: FileListing,
    subqueries: SubqueryValues) {

  def this(session: SessionFacts) = this(session, new FileListing, SubqueryValues.Unknown)

  private val fragments = new IdentityHashMap[SparkPlan, Either[Seq[Reason], Fragment]]()
  private val complete = new IdentityHashMap[SparkPlan, java.lang.Boolean]()

  /** Why this operator cannot run in the node, its children apart. */
  def reasons(node: SparkPlan): Seq[Reason] = fragment(node).fold(identity, _ => Nil)

  /**
   * The operator and all below it can run in the node, with this operator as the last. An exchange is never the last:
   * what is above it wants its partitions.
   */
  def wholeSubtree(node: SparkPlan): Boolean =
    !node.isInstanceOf[Exchange] && node.output.nonEmpty && isComplete(node) &&
      fragment(node).exists(_.standsAlone)

  /** Bytes of the files that the scans of a supported subtree read. */
  def inputBytes(node: SparkPlan): Long = fragment(node) match {
    case Left(_) => 0
    case Right(found) => listing.bytesOf(node) + found.inputs.map(inputBytes).sum
  }

  /** The same plan, files and settings with these values of its subqueries. */
  def withValues(values: SubqueryValues): PlanSupport = new PlanSupport(session, listing, values)

  private[translate] def fragment(node: SparkPlan): Either[Seq[Reason], Fragment] = {
    val known = fragments.get(node)
    if (known != null) known
    else {
      val found = OperatorTable.translate(node, this)
      fragments.put(node, found)
      found
    }
  }

  /** The columns a reader of this node sees; those it would have where it has no fragment. */
  private[translate] def columnsOf(node: SparkPlan): Columns =
    fragment(node).fold(_ => Columns.of(node.output), _.columns)

  private[translate] def expressions(columns: Columns): ExpressionTranslator =
    new ExpressionTranslator(columns, session, subqueries)

  private def isComplete(node: SparkPlan): Boolean = {
    val known = complete.get(node)
    if (known != null) known
    else {
      val found = fragment(node).exists(_.inputs.forall(isComplete))
      complete.put(node, found)
      found
    }
  }
}
