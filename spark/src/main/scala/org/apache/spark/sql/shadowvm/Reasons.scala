// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan
import org.shadowvm.translate.Reason

/** Why operators stay with Spark: kept on the operators themselves, so that it survives their copies. */
private[shadowvm] object Reasons {
  private val Tag = TreeNodeTag[Seq[Reason]]("shadowvm.reasons")

  def put(plan: SparkPlan, reasons: Seq[Reason]): Unit = plan.setTagValue(Tag, reasons)

  def putOnAll(plan: SparkPlan, reason: Reason): Unit = plan.foreach(put(_, Seq(reason)))

  def of(plan: SparkPlan): Seq[Reason] = plan.getTagValue(Tag).getOrElse(Nil)

  /** Our rule has looked at this plan, or at a plan it was made of. */
  def decided(plan: SparkPlan): Boolean = plan.exists {
    case _: ShadowResultExec => true
    case other => other.getTagValue(Tag).isDefined
  }

  val InputInSpark: Reason = Reason("INPUT_IN_SPARK", "its input stays with Spark")
  val LayoutRelied: Reason =
    Reason("LAYOUT_RELIED_ON", "an operator above relies on the partitions, the order or the files of its rows")
  val Repartition: Reason = Reason("REPARTITION", "its rows stay in the partitions that the user has asked for")
  val ExchangeForSpark: Reason = Reason("EXCHANGE_FOR_SPARK", "its rows are exchanged for an operator of Spark")
  val HalfAnOperator: Reason = Reason("HALF_AN_OPERATOR", "its other half stays with Spark")
  val OrderOfInput: Reason =
    Reason("ORDER_OF_INPUT", "its order comes from the way Spark would join or aggregate, without a sort of its own")
  val LittleToDo: Reason = Reason(
    "LITTLE_TO_DO",
    "reading, filtering and projecting alone do not pay; spark.shadowvm.scanOnly.enabled=true offloads them too")
  val SeveralHosts: Reason =
    Reason("SEVERAL_HOSTS", "executors run on several hosts or not on the driver's, and nodes cannot exchange rows yet")
  val ExplainOnly: Reason = Reason("EXPLAIN_ONLY", "would run in the node; spark.shadowvm.explainOnly is on")

  def tooSmall(bytes: Long, limit: Long): Reason =
    Reason("TOO_SMALL", s"it reads $bytes bytes, fewer than spark.shadowvm.minBytes=$limit")

  def fellBack(why: String): Reason = Reason("FELL_BACK", s"the node failed: $why")

  def noNode(why: String): Reason = Reason("NO_NODE", why)

  def refused(text: String): Reason = Reason("NODE_REFUSED", text)
}
