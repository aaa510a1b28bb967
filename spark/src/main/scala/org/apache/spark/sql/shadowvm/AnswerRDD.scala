// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

/** The vRDD of a query's last pipeline, which gives the rows. */
private[shadowvm] final class AnswerRDD(
    context: SparkContext,
    query: ShadowQuery,
    pipeline: Int,
    label: String,
    output: Seq[Attribute],
    earlier: Option[PipelineRDD])
    extends RDD[InternalRow](context, PipelineRDD.after(earlier)) {
  setName(s"vRDD $pipeline: $label")

  override protected def getPartitions: Array[Partition] = Array(OnlyPartition)

  override def compute(split: Partition, task: TaskContext): AnswerRows = {
    PipelineRDD.pass(this, split, task)
    AnswerRDD.closing(AnswerRows.run(query, pipeline, output, Caller.task(task)), task)
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
