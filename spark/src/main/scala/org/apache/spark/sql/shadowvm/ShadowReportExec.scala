// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.connector.write.WriterCommitMessage
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.command.{DataWritingCommandExec, ExecutedCommandExec}
import org.apache.spark.sql.execution.datasources.{WriteFilesExec, WriteFilesSpec}
import org.apache.spark.sql.execution.datasources.v2.V2CommandExec
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * A line on top of a plan that says where its operators run, and why, for versions of Spark that let nobody else add to
 * explain() and the SQL tab. Does nothing: whatever it is asked for it asks its child for.
 */
case class ShadowReportExec(child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def nodeName: String = "ShadowReport"
  override def argString(maxFields: Int): String = {
    val report = PlanReport.of(child)
    (report.summary +: report.operators.filterNot(_.inNode).map(_.text.trim)).mkString("; ")
  }
  override def verboseStringWithOperatorId(): String = s"$formattedNodeName\n${PlanReport.of(child)}\n"
  override protected def doCanonicalize(): SparkPlan = child.canonicalized

  override def executeCollect(): Array[InternalRow] = child.executeCollect()
  override def executeCollectPublic(): Array[Row] = child.executeCollectPublic()
  override def executeTake(n: Int): Array[InternalRow] = child.executeTake(n)
  override def executeTail(n: Int): Array[InternalRow] = child.executeTail(n)
  override def executeToIterator(): Iterator[InternalRow] = child.executeToIterator()
  private[spark] override def executeCollectIterator(): (Long, Iterator[InternalRow]) = child.executeCollectIterator()
  override protected def doExecute(): RDD[InternalRow] = child.execute()
  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = child.executeColumnar()
  protected[sql] override def doExecuteBroadcast[T](): Broadcast[T] = child.executeBroadcast()
  override protected def doExecuteWrite(spec: WriteFilesSpec): RDD[WriterCommitMessage] = child.executeWrite(spec)

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

private[shadowvm] object ShadowReportExec {

  /** Plans that Spark or others look into by their topmost operator stay as they are. */
  def on(plan: SparkPlan): SparkPlan = plan match {
    case _: ShadowReportExec | _: ShadowResultExec => plan
    case _: Exchange | _: QueryStageExec | _: AdaptiveSparkPlanExec | _: BaseSubqueryExec => plan
    case _: DataWritingCommandExec | _: WriteFilesExec | _: ExecutedCommandExec | _: V2CommandExec => plan
    case _ if plan.children.isEmpty || plan.supportsColumnar || isStreaming(plan) => plan
    case _ =>
      val report = ShadowReportExec(plan)
      // Adaptive execution wants the topmost operator's logical link, which is a tag.
      report.copyTagsFrom(plan)
      report
  }

  /** A plan that adaptive execution plans again may hold the report of an earlier time. */
  def off(plan: SparkPlan): SparkPlan =
    if (!plan.exists(_.isInstanceOf[ShadowReportExec])) plan
    else plan.transformUp { case report: ShadowReportExec => report.child }

  private def isStreaming(plan: SparkPlan): Boolean = plan.logicalLink.exists(_.isStreaming)
}
