// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

/**
 * The vRDD of a query's last pipeline, which gives the rows.
 *
 * @param patient
 *   waits for a node that is away: the driver has handed the rows out, so that it can fall back no longer
 */
private[shadowvm] final class AnswerRDD(
    context: SparkContext,
    query: ShadowQuery,
    pipeline: Int,
    label: String,
    output: Seq[Attribute],
    earlier: Option[PipelineRDD],
    patient: Boolean)
    extends RDD[InternalRow](context, PipelineRDD.after(earlier)) {
  setName(s"vRDD $pipeline: $label")

  override protected def getPartitions: Array[Partition] = Array(OnlyPartition)

  override def compute(split: Partition, task: TaskContext): AnswerRows = {
    PipelineRDD.pass(this, split, task)
    val caller = Caller.task(task)
    val rows = if (patient) NodePatience.insist(query, caller)(begun(caller)) else answer(caller)
    AnswerRDD.closing(rows, task)
  }

  private def answer(caller: Caller): AnswerRows = AnswerRows.run(query, pipeline, output, caller)

  /** The first rows are here. */
  private def begun(caller: Caller): AnswerRows = {
    val rows = answer(caller)
    try {
      rows.hasNext
      rows
    } catch {
      case failure: Throwable =>
        rows.close()
        throw failure
    }
  }
}

/** A small answer that is here already. */
private[shadowvm] final class SmallAnswerRDD(
    context: SparkContext,
    query: ShadowQuery,
    barrier: Barrier,
    answer: Array[Byte],
    output: Seq[Attribute])
    extends RDD[InternalRow](context, Nil) {
  setName(s"vRDD ${barrier.pipeline}: done")

  override protected def getPartitions: Array[Partition] = Array(OnlyPartition)

  override def compute(split: Partition, task: TaskContext): AnswerRows =
    AnswerRDD.closing(AnswerRows.small(answer, query, barrier, output), task)
}

private object AnswerRDD {

  /** Rows that nobody reads to their end are given back as well. */
  def closing(rows: AnswerRows, task: TaskContext): AnswerRows = {
    task.addTaskCompletionListener[Unit](_ => rows.close())
    rows
  }
}
