// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.nio.file.Path

import org.apache.spark.SparkConf
import org.shadowvm.settings.{KnownSettings, ShadowSettings}

/** Where an application's node comes from. */
private[node] sealed trait NodeSource

private[node] object NodeSource {
  final case class Absent(reason: String) extends NodeSource
  final case class Running(address: String) extends NodeSource
  final case class Started(program: Path, memory: Long, threads: Option[Int]) extends NodeSource

  private val localMaster = """local(?:\[(\d+|\*)(?:,\s*\d+)?\])?""".r

  def of(conf: SparkConf): NodeSource = {
    val settings = ShadowSettings.of(conf)
    val master = conf.get("spark.master", "")
    settings.nodeAddress match {
      case Some(address) => NodeAddress.socket(address).fold(Absent(_), _ => Running(address))
      case None if !settings.nodeAutostart =>
        Absent(s"${KnownSettings.NodeAutostart.key} is false and there is no ${KnownSettings.NodeAddress.key}")
      case None if localMaster.pattern.matcher(master).matches => started(settings, master)
      case None =>
        Absent(s"a node is started for a local master only, and this is $master: give ${KnownSettings.NodeAddress.key}")
    }
  }

  private def started(settings: ShadowSettings, master: String): NodeSource =
    NodeProgram.find(settings.nodePath).fold(
      Absent(_), Started(_, settings.memory.getOrElse(NodeMemory.default), threads(master)))

  /** As many threads as the user gave Spark; none is what the node takes by itself, one per core. */
  private def threads(master: String): Option[Int] = {
    val cores = Runtime.getRuntime.availableProcessors
    master match {
      case localMaster(null) => Some(1)
      case localMaster("*") => None
      case localMaster(count) => Some(count.toInt).filter(_ < cores)
      case _ => None
    }
  }
}
