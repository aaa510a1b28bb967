// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.Locale

import scala.collection.JavaConverters._

import org.shadowvm.proto.v1.{Mode, PipelineInfo, PipelineMetrics, QueryMetrics}

/** What became of a query's pipelines, a line each. */
private[shadowvm] object PipelineText {
  private val Names = Map(Mode.MODE_CPU -> "cpu", Mode.MODE_GPU -> "gpu", Mode.MODE_MIXED -> "cpu and gpu")

  def of(pipelines: Seq[PipelineInfo], query: QueryMetrics): Seq[String] = {
    val labels = pipelines.map(pipeline => pipeline.getIndex -> pipeline.getLabel).toMap
    query.getPipelinesList.asScala.toSeq.map(metrics => line(labels.getOrElse(metrics.getIndex, ""), metrics))
  }

  /** A pipeline without a choice of processors ran on the CPU, and nothing was predicted. */
  private def line(label: String, pipeline: PipelineMetrics): String = {
    val took = if (pipeline.getRealMs > 0) pipeline.getRealMs else pipeline.getMilliseconds
    val parts = Seq(
      Some(Names.getOrElse(pipeline.getMode, "cpu")),
      Some(pipeline.getPredictedMs).filter(_ > 0).map(ms => s"predicted ${milliseconds(ms)}"),
      Some(s"took ${milliseconds(took)}"),
      Some(pipeline.getReason).filter(_.nonEmpty))
    s"  ${pipeline.getIndex} $label: ${parts.flatten.mkString(", ")}"
  }

  private def milliseconds(value: Double): String = String.format(Locale.ROOT, "%.3f ms", Double.box(value))
}
