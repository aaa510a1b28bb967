// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.shadowvm.proto.v1.PipelineInfo
import org.shadowvm.settings.ShadowSettings

/** Registers a query with the node; then, the ways to its rows. On the driver. */
private[shadowvm] final class QueryDoors(
    context: SparkContext,
    settings: ShadowSettings,
    query: ShadowQuery,
    output: Seq[Attribute],
    measured: QueryDoors.Measured) {
  private val run = new QueryRun(context, query, output)

  def collect(reaping: Reaping): Array[InternalRow] = forgetting {
    val harvest =
      if (settings.directCollect && context.isLocal) DirectCollect(context, run, reaping) else run.collect(reaping)
    measured(run.pipelines, harvest.barrier, Some(harvest.readNanos))
    harvest.rows(output.length)
  }

  /** Waits for the answer first, since nobody can fall back once the rows of an RDD are asked for. */
  def rdd(): RDD[InternalRow] = forgetting {
    val complete = run.complete()
    measured(run.pipelines, complete, None)
    run.rows(complete)
  }

  /** A query that failed, or whose job was cancelled before it began, would stay in the node. */
  private def forgetting[T](body: => T): T =
    try body
    catch {
      case error: Throwable =>
        run.forget()
        throw error
    }
}

private[shadowvm] object QueryDoors {

  /** Hears of the pipelines, the last barrier, and the time it took to read the rows where they were read. */
  type Measured = (Seq[PipelineInfo], Barrier, Option[Long]) => Unit

  /** A query for the driver's node as it is now. */
  def query(context: SparkContext, settings: ShadowSettings, island: Island, id: String): ShadowQuery = {
    settings.recordDir.foreach(Recorder.record(_, island))
    val client = ShadowRuntime.client(context)
    ShadowRuntime.of(context).foreach(_.deviceLog.asked(settings.mode, client))
    ShadowQuery(client.address, id, island.bytes, WireExecution.of(settings))
  }
}
