// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, SinglePartition}
import org.apache.spark.sql.execution.{ColumnarToRowTransition, ScalarSubquery, SparkPlan}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * The top of an island: the only one of our operators that Spark executes. A transition from columns to rows, so that
 * Spark puts none above it and calls its doors. There are five of them, and each is the driver's: whatever a node fails
 * at before the first row is out, this falls back to the original plan.
 *
 * @param parameters
 *   subqueries of the island, here so that Spark runs them before it
 */
case class ShadowResultExec(
    @transient child: SparkPlan,
    @transient original: SparkPlan,
    @transient island: Island,
    @transient parameters: Seq[ScalarSubquery])
    extends ColumnarToRowTransition
    with DrawsFallback {
  @transient private lazy val execution = new IslandExecution(this)

  /** All that tasks of operators above need, which bring their plans along. */
  override val output: Seq[Attribute] = original.output
  override def outputPartitioning: Partitioning = SinglePartition
  override def outputOrdering: Seq[SortOrder] = Layout.order(original)
  override def nodeName: String = "ShadowResult"
  override protected def stringArgs: Iterator[Any] = {
    val report = PlanReport.of(this)
    val lines = Seq(ran.map(_.trim)).filter(_.nonEmpty).map(_.mkString("last ran: ", "; ", ""))
    Iterator(s"query=${island.key}", report.summary) ++ report.reasons.map(_.withCode) ++ lines
  }
  override protected def doCanonicalize(): SparkPlan = original.canonicalized
  @transient override lazy val metrics: Map[String, SQLMetric] = ResultMetrics.create(sparkContext)

  /** The plan that Spark has run instead, the last time. */
  override def inSpark: Option[SparkPlan] = execution.inSpark

  /** Where the pipelines of its last run in the node ran, why, and the predicted and the real times, a line each. */
  def ran: Seq[String] = execution.ran

  /** On the thread that waits for the query; a broadcast of the rows runs on another. */
  override protected def doPrepare(): Unit = PythonCaller.remember(sparkContext)

  override def executeCollect(): Array[InternalRow] =
    executeQuery(execution.collect(ReapAll)(_.executeCollect()))

  override def executeTake(n: Int): Array[InternalRow] =
    if (n == 0) Array.empty
    else executeQuery(execution.collect(ReapFirst(n))(_.executeTake(n)))

  override def executeTail(n: Int): Array[InternalRow] =
    if (n == 0) Array.empty
    else executeQuery(execution.collect(ReapLast(n))(_.executeTail(n)))

  /** For a broadcast by Spark. */
  private[spark] override def executeCollectIterator(): (Long, Iterator[InternalRow]) = {
    val rows = executeQuery(execution.collectOnce())
    (rows.length.toLong, rows.iterator)
  }

  override protected def doExecute(): RDD[InternalRow] = execution.rdd()

  /** Called in tasks as well, where there is no child. */
  protected[sql] override def cleanupResources(): Unit = ()

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)

  private[shadowvm] def context = sparkContext
}
