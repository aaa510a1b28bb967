// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.Locale

import scala.collection.JavaConverters._

import org.shadowvm.proto.v1.{FillMetrics, Mode, PipelineInfo, PipelineMetrics, QueryMetrics, SortMetrics}

/** What became of a query's pipelines, a line each, and one more for each hash table and sort with a choice of
 *  processors. */
private[shadowvm] object PipelineText {
  private val Names = Map(Mode.MODE_CPU -> "cpu", Mode.MODE_GPU -> "gpu", Mode.MODE_MIXED -> "cpu and gpu")

  def of(pipelines: Seq[PipelineInfo], query: QueryMetrics): Seq[String] = {
    val labels = pipelines.map(pipeline => pipeline.getIndex -> pipeline.getLabel).toMap
    query.getPipelinesList.asScala.toSeq.flatMap { metrics =>
      val sorts = Seq(metrics.getSort).filter(_ => metrics.hasSort)
      (line(labels.getOrElse(metrics.getIndex, ""), metrics) +: metrics.getFillsList.asScala.toSeq.map(fillLine)) ++
        sorts.map(sortLine)
    }
  }

  /** A pipeline without a choice of processors ran on the CPU, and nothing was predicted. */
  private def line(label: String, pipeline: PipelineMetrics): String = {
    val took = if (pipeline.getRealMs > 0) pipeline.getRealMs else pipeline.getMilliseconds
    s"  ${pipeline.getIndex} $label: ${place(pipeline.getMode, pipeline.getPredictedMs, took, pipeline.getReason)}"
  }

  private def fillLine(fill: FillMetrics): String = {
    val where = place(fill.getMode, fill.getPredictedMs, fill.getRealMs, fill.getReason)
    s"    ${fill.getBuild}: hash table of ${fill.getRows} rows: $where"
  }

  private def sortLine(sort: SortMetrics): String =
    s"    sort of ${sort.getRows} rows: ${place(sort.getMode, sort.getPredictedMs, sort.getRealMs, sort.getReason)}"

  private def place(mode: Mode, predicted: Double, took: Double, reason: String): String = Seq(
    Some(Names.getOrElse(mode, "cpu")),
    Some(predicted).filter(_ > 0).map(ms => s"predicted ${milliseconds(ms)}"),
    Some(s"took ${milliseconds(took)}"),
    Some(reason).filter(_.nonEmpty)).flatten.mkString(", ")

  private def milliseconds(value: Double): String = String.format(Locale.ROOT, "%.3f ms", Double.box(value))
}
