// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import scala.collection.JavaConverters._

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.shadowvm.proto.v1.{PipelineInfo, PipelineMetrics, QueryMetrics}

/** The metrics of a whole query, shown at its result. */
private[shadowvm] object ResultMetrics {
  private val Stages = Seq("plan", "compile", "scan", "run", "merge")

  def create(context: SparkContext): Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(context, "number of output rows"),
    "nodeTime" -> SQLMetrics.createTimingMetric(context, "time in the node"),
    "readTime" -> SQLMetrics.createNanoTimingMetric(context, "time to take the rows over"),
    "bytesRead" -> SQLMetrics.createSizeMetric(context, "bytes read from files"),
    "segmentsRun" -> SQLMetrics.createMetric(context, "segments run"),
    "segmentsSkipped" -> SQLMetrics.createMetric(context, "segments skipped")) ++
    DeviceMetrics.create(context) ++
    Stages.map(stage => s"${stage}Time" -> SQLMetrics.createTimingMetric(context, s"$stage time, all threads"))

  def fill(metrics: Map[String, SQLMetric], query: QueryMetrics, readNanos: Option[Long]): Unit = {
    metrics("numOutputRows").set(query.getRows)
    metrics("nodeTime").set(math.round(query.getTotalMs))
    metrics("bytesRead").set(query.getBytesRead)
    metrics("segmentsRun").set(query.getSegmentsRun)
    metrics("segmentsSkipped").set(query.getSegmentsSkipped)
    readNanos.foreach(metrics("readTime").set)
    DeviceMetrics.fill(metrics, query.getPipelinesList.asScala.toSeq)
    query.getStagesList.asScala.foreach { stage =>
      metrics.get(s"${stage.getStage}Time").foreach(_.set(math.round(stage.getMilliseconds)))
    }
  }
}

/** The metrics of an operator: of its pipeline, at the operator that begins it and at the one that ends it. */
private[shadowvm] object OperatorMetrics {
  def create(context: SparkContext, operator: ShadowOperator): Map[String, SQLMetric] = operator match {
    case _: ShadowScanExec =>
      Map(
        "rowsIn" -> SQLMetrics.createMetric(context, "rows read"),
        "segmentsRun" -> SQLMetrics.createMetric(context, "segments run"),
        "partitions" -> SQLMetrics.createMetric(context, "local partitions"),
        "segmentsSkipped" -> SQLMetrics.createMetric(context, "segments skipped")) ++
        DeviceMetrics.create(context) ++ ofEnd(context)
    case _ => ofEnd(context)
  }

  private def ofEnd(context: SparkContext): Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(context, "number of output rows"),
    "pipelineTime" -> SQLMetrics.createTimingMetric(context, "time of the pipeline it ends"))

  def fillBegin(metrics: Map[String, SQLMetric], pipeline: PipelineMetrics): Unit = {
    metrics("rowsIn").set(pipeline.getRowsIn)
    metrics("partitions").set(pipeline.getPartitions)
    metrics("segmentsRun").set(pipeline.getSegmentsRun)
    metrics("segmentsSkipped").set(pipeline.getSegmentsSkipped)
    DeviceMetrics.fill(metrics, Seq(pipeline))
  }

  def fillEnd(metrics: Map[String, SQLMetric], pipeline: PipelineMetrics): Unit = {
    metrics("numOutputRows").set(pipeline.getRowsOut)
    metrics("pipelineTime").set(math.round(pipeline.getMilliseconds))
  }
}

/** Which processors worked through the rows that kernels read. */
private[shadowvm] object DeviceMetrics {
  private val Cpu = "cpu"

  def create(context: SparkContext): Map[String, SQLMetric] = Map(
    "rowsOnCpu" -> SQLMetrics.createMetric(context, "rows on the CPU"),
    "rowsOnGpu" -> SQLMetrics.createMetric(context, "rows on the GPU"),
    "gpuShare" -> SQLMetrics.createMetric(context, "share of the GPU, percent"))

  def fill(metrics: Map[String, SQLMetric], pipelines: Seq[PipelineMetrics]): Unit = {
    val rows = for {
      pipeline <- pipelines
      device <- pipeline.getDevicesList.asScala
    } yield (device.getDevice == Cpu, pipeline.getRowsIn * device.getShare)
    val (cpu, gpu) = rows.partition { case (onCpu, _) => onCpu }
    val (onCpu, onGpu) = (cpu.map(_._2).sum, gpu.map(_._2).sum)
    metrics("rowsOnCpu").set(math.round(onCpu))
    metrics("rowsOnGpu").set(math.round(onGpu))
    metrics("gpuShare").set(if (onGpu > 0) math.round(100 * onGpu / (onCpu + onGpu)) else 0)
  }
}

/** Hands what a node has measured to Spark's SQL tab. */
private[shadowvm] object QueryMetricsReport {
  def post(
      root: ShadowResultExec,
      pipelines: Seq[PipelineInfo],
      query: QueryMetrics,
      readNanos: Option[Long]): Unit = {
    val operators = root.child.collect { case operator: ShadowOperator => operator.original.id -> operator }.toMap
    ResultMetrics.fill(root.metrics, query, readNanos)
    val measured = query.getPipelinesList.asScala.map(metrics => metrics.getIndex -> metrics).toMap
    for {
      pipeline <- pipelines
      metrics <- measured.get(pipeline.getIndex)
    } {
      val inPipeline = pipeline.getActionsList.asScala
        .flatMap(action => root.island.operatorOf.get(action.intValue))
        .flatMap(operators.get)
      val scans = inPipeline.collect { case scan: ShadowScanExec => scan }
      scans.foreach(scan => OperatorMetrics.fillBegin(scan.metrics, metrics))
      inPipeline.lastOption.foreach(operator => OperatorMetrics.fillEnd(operator.metrics, metrics))
    }
    val all = root.metrics.values ++ operators.values.flatMap(_.metrics.values)
    val execution = root.context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(root.context, execution, all.toSeq)
  }
}
