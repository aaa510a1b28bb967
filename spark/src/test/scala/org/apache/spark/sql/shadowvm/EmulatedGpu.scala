// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.{DataFrame, Row}
import org.shadowvm.{ShadowReport, TestProgram}

/**
 * A suite whose node has a GPU, the emulated one. Queries are compared in mode gpu and then, when their rows are in
 * memory and their kernels are there, in mode mixed. Where the GPU did not work it must not have been meant to.
 */
trait EmulatedGpu extends ShadowSuite {
  override protected def settings: Map[String, String] =
    super.settings + ("spark.shadowvm.node.path" -> TestProgram.withGpu.toString)

  protected def inMode[T](mode: String)(body: => T): T = withSetting("spark.shadowvm.mode", mode)(body)

  override protected def compareTo(expected: Array[Row], query: => DataFrame): ShadowReport = {
    val report = inMode("gpu")(super.compareTo(expected, query))
    requireOnGpu(report, "gpu")
    withSetting("spark.shadowvm.partitions", "8") {
      requireOnGpu(inMode("mixed")(super.compareTo(expected, query)), "cpu and gpu")
    }
    report
  }

  private def requireOnGpu(report: ShadowReport, device: String): Unit = {
    val ran = report.ran.flatMap(Ran.of)
    val worked = ran.map(_.device).contains(device)
    assert(worked || report.accelerated == 0, s"nothing ran on $device:\n$report")
    val failures = ran.flatMap(_.reason).filterNot(EmulatedGpu.NoFailures)
    assert(failures.isEmpty, report)
  }
}

private object EmulatedGpu {

  /** Reasons of a node whose GPU works well. */
  private val NoFailures = Set(
    "a build side of few rows",
    "too few rows to be worth a launch",
    "cores were done before the GPU had begun",
    "cores were done with all of it before the GPU was")
}
