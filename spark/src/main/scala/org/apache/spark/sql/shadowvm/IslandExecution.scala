// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.{SparkPlan, SQLExecution}
import org.shadowvm.proto.v1.{PipelineInfo, QueryMetrics}
import org.shadowvm.settings.ShadowSettings

/** Runs an island in the node, or its original plan in Spark where the node fails. On the driver, from any thread. */
private[shadowvm] final class IslandExecution(root: ShadowResultExec) extends Logging {
  private val context = root.context
  private val settings = ShadowSettings.of(root.conf)

  /** Not before the subqueries have run. */
  private lazy val island = root.island.after(root.parameters)
  @volatile private var fallback: Option[SparkPlan] = None
  @volatile private var done: Option[(Seq[PipelineInfo], QueryMetrics)] = None

  def inSpark: Option[SparkPlan] = fallback

  /** A line for each pipeline of the last run in the node. Made when asked for: most queries are not explained. */
  def ran: Seq[String] = done.toSeq.flatMap { case (pipelines, query) => PipelineText.of(pipelines, query) }

  def collect(reaping: Reaping)(inSpark: SparkPlan => Array[InternalRow]): Array[InternalRow] =
    run(doors().collect(reaping))(inSpark)

  /** For broadcasts: of the same rows by other keys there may be several in an execution. */
  def collectOnce(): Array[InternalRow] = run(shared(_.rows)(doors().collect(ReapAll)))(_.executeCollect())

  def rdd(): RDD[InternalRow] = run(shared(_.rdds)(doors().rdd()))(_.execute())

  private def shared[T](answers: ShadowRuntime => SharedAnswers[T])(make: => T): T =
    (for {
      execution <- executionId
      runtime <- ShadowRuntime.of(context)
    } yield answers(runtime).of(SharedAnswers.Key(execution, island.key))(make)).getOrElse(make)

  private def run[T](inNode: => T)(inSpark: SparkPlan => T): T =
    try {
      fallback = None
      inNode
    } catch {
      case error: Throwable if NodeFailures.in(error).isDefined =>
        val failure = NodeFailures.in(error).get
        ShadowRuntime.noticeIfLost(context, failure)
        if (!settings.runtimeFallback) throw error
        logWarning(s"ShadowVM falls back to Spark for query ${root.island.key}: ${failure.getMessage}")
        RulesOff.during(context) {
          val plan = SparkAgain.plan(root.session, root.original)
          Reasons.putOnAll(plan, Reasons.fellBack(failure.getMessage))
          fallback = Some(plan)
          done = None
          SparkAgain.draw(context)
          inSpark(plan)
        }
    }

  private def doors(): QueryDoors = {
    val query = QueryDoors.query(context, settings, island, queryId)
    new QueryDoors(context, settings, query, root.output, measured)
  }

  private def measured(pipelines: Seq[PipelineInfo], barrier: Barrier, readNanos: Option[Long]): Unit = {
    val query = QueryMetrics.parseFrom(barrier.metrics)
    done = Some((pipelines, query))
    QueryMetricsReport.post(root, pipelines, query, readNanos)
    ShadowRuntime.of(context).foreach(_.explainLog.ran(pipelines, query, settings))
  }

  /** The same for the same island twice in one execution, so that it runs once; another in every other execution. */
  private def queryId: String = {
    val execution = executionId.fold(s"none${IslandExecution.lastNumber.incrementAndGet()}")(_.toString)
    s"${context.applicationId}-$execution-${island.key}"
  }

  private def executionId: Option[Long] =
    Option(context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)).map(_.toLong)
}

private object IslandExecution {

  /** For queries outside of any execution, such as of df.rdd. */
  private val lastNumber = new AtomicLong
}
