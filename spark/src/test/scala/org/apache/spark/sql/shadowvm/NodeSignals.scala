// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.concurrent.TimeUnit

import org.shadowvm.node.NodeClient

/** Does to a node what machines do to processes. */
object NodeSignals {
  private val PatienceMs = 20000L

  def kill(node: NodeClient): Unit = {
    val process = ProcessHandle.of(node.status().getProcessId.toLong).get()
    process.destroyForcibly()
    process.onExit().get(PatienceMs, TimeUnit.MILLISECONDS)
  }

  /** While it holds still, every call to it waits. */
  def whileStopped[T](node: NodeClient)(body: Long => T): T = {
    val process = node.status().getProcessId.toLong
    signal("STOP", process)
    try body(process)
    finally signal("CONT", process)
  }

  /** A process that is gone by then, such as a node that was replaced, needs no signal. */
  def signal(name: String, process: Long): Unit = {
    val status = new ProcessBuilder("kill", s"-$name", process.toString).start().waitFor()
    require(status == 0 || !ProcessHandle.of(process).isPresent, s"kill -$name $process failed")
  }
}
