// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.lang.ref.Cleaner
import java.util.concurrent.CompletableFuture

import scala.collection.JavaConverters._

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.shadowvm.node.{NodeCancelled, NodeClient, NodeFailure}
import org.shadowvm.proto.v1.PipelineInfo

/** A registered query and its vRDDs, on the driver. */
private[shadowvm] final class QueryRun(context: SparkContext, query: ShadowQuery, output: Seq[Attribute]) {
  val pipelines: Seq[PipelineInfo] = query.register().getPipelinesList.asScala.toSeq

  /** One job for the whole query; its only task brings the rows home. */
  def collect(reaping: Reaping): Harvest =
    CallerJob.run(context, answer(barriers(pipelines.init), patient = false), reaping)

  /** Without a job, on this thread. */
  def collectDirectly(reaping: Reaping, caller: Caller): Harvest = {
    val answer = AnswerRows.run(query, pipelines.last.getIndex, output, caller)
    try reaping.reap(answer)
    finally answer.close()
  }

  /** Waits, in a job, until the answer is complete. */
  def complete(): Barrier = CallerJob.run(context, barriers(pipelines).get, QueryRun.only)

  /** The rows of a complete answer. Runs the query again where the node does not hold it any longer, or is another. */
  def rows(complete: Barrier): RDD[InternalRow] = complete.smallAnswer match {
    case Some(small) => new SmallAnswerRDD(context, query, complete.copy(smallAnswer = None), small, output)
    case None =>
      val rows = answer(None, patient = true)
      // Without a reference to this run or the RDD: it would never become unreachable.
      val (node, id) = (query.client, query.id)
      QueryRun.unreachable.register(rows, () => QueryRun.forget(node, id))
      rows
  }

  /** The node need not keep it. Does not wait: a node that hangs must not hold up whoever gives up. */
  def forget(): Unit = CompletableFuture.runAsync(() => QueryRun.forget(query.client, query.id))

  private def barriers(upTo: Seq[PipelineInfo]): Option[PipelineRDD] =
    upTo.foldLeft(Option.empty[PipelineRDD]) { (earlier, pipeline) =>
      Some(new PipelineRDD(context, query, pipeline.getIndex, pipeline.getLabel, earlier))
    }

  private def answer(earlier: Option[PipelineRDD], patient: Boolean): AnswerRDD =
    new AnswerRDD(context, query, pipelines.last.getIndex, pipelines.last.getLabel, output, earlier, patient)
}

private[shadowvm] object QueryRun {
  private val only: (TaskContext, Iterator[Barrier]) => Barrier = (_, barriers) => barriers.next()

  /** Answers of RDDs that nobody holds any longer go from the node as well. */
  private val unreachable = Cleaner.create()

  /** A node that is away holds nothing. */
  private def forget(node: NodeClient, queryId: String): Unit =
    try node.cancel(queryId)
    catch { case _: NodeFailure | _: NodeCancelled => }
}
