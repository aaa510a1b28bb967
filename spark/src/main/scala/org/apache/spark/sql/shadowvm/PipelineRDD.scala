// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.{OneToOneDependency, Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.shadowvm.proto.v1.RunPipelineResponse

/**
 * A pipeline is done. The metrics are a serialized QueryMetrics, of the query so far. The last pipeline's barrier
 * brings the answer along if that is small: the node has forgotten the query then.
 */
final case class Barrier(pipeline: Int, metrics: Array[Byte], smallAnswer: Option[Array[Byte]])

object Barrier {
  def of(pipeline: Int, response: RunPipelineResponse): Barrier = {
    val answer = response.getInlineAnswer
    Barrier(pipeline, response.getMetrics.toByteArray, if (answer.isEmpty) None else Some(answer.toByteArray))
  }
}

private[shadowvm] case object OnlyPartition extends Partition {
  override def index: Int = 0
}

/**
 * The vRDD of a pipeline whose rows stay in the node: its only partition holds a barrier. The earlier pipelines are
 * reached through narrow dependencies, so that a whole query is one task of one job.
 */
private[shadowvm] final class PipelineRDD(
    context: SparkContext,
    query: ShadowQuery,
    pipeline: Int,
    label: String,
    earlier: Option[PipelineRDD])
    extends RDD[Barrier](context, PipelineRDD.after(earlier)) {
  setName(s"vRDD $pipeline: $label")

  override protected def getPartitions: Array[Partition] = Array(OnlyPartition)

  override def compute(split: Partition, task: TaskContext): Iterator[Barrier] = {
    PipelineRDD.pass(this, split, task)
    Iterator(Barrier.of(pipeline, query.run(pipeline, Caller.task(task), takeAnswer = false)))
  }
}

private[shadowvm] object PipelineRDD {
  def after(earlier: Option[PipelineRDD]): Seq[OneToOneDependency[Barrier]] =
    earlier.map(new OneToOneDependency[Barrier](_)).toSeq

  /** Passes the barriers that a vRDD waits for. */
  def pass(rdd: RDD[_], split: Partition, task: TaskContext): Unit =
    rdd.dependencies.foreach(_.rdd.iterator(split, task).foreach(_ => ()))
}
