// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.settings

import org.apache.spark.SparkConf
import org.apache.spark.sql.internal.SQLConf

/** All settings as they are for one query, or for the application at its start. */
final case class ShadowSettings(
    enabled: Boolean,
    mode: String,
    nodeAddress: Option[String],
    nodeAutostart: Boolean,
    nodePath: Option[String],
    nodeTimeoutMs: Long,
    memory: Option[Long],
    partitions: Option[Int],
    explain: String,
    explainOnly: Boolean,
    minBytes: Long,
    scanOnly: Boolean,
    directCollect: Boolean,
    runtimeFallback: Boolean,
    strictFloat: Boolean,
    recordDir: Option[String],
    operatorsOff: Set[String],
    expressionsOff: Set[String]) {

  /** `name` is that of Spark's class, with or without `Exec`. */
  def operatorEnabled(name: String): Boolean = !operatorsOff(name.stripSuffix("Exec"))

  def expressionEnabled(name: String): Boolean = !expressionsOff(name)
}

object ShadowSettings {
  import KnownSettings._

  /** Of a session; it starts with what the application was started with. Throws [[SettingError]]. */
  def of(conf: SQLConf): ShadowSettings = of(ours(conf.getAllConfs))

  def of(conf: SparkConf): ShadowSettings = of(ours(conf.getAll.toMap))

  /**
   * Looks at every key of ours that an application was started with: throws [[SettingError]] for the first value of a
   * wrong type, and returns a sentence about each key that is unknown.
   */
  def checkAll(conf: SparkConf): Seq[String] = {
    val set = ours(conf.getAll.toMap)
    of(set)
    UnknownSettings.warnings(set.keys)
  }

  private def ours(all: Map[String, String]): Map[String, String] =
    all.filter { case (key, _) => key.startsWith(Prefix) }

  /** Of our keys with their values. */
  def of(set: Map[String, String]): ShadowSettings = ShadowSettings(
    enabled = Enabled.read(set.get),
    mode = Mode.read(set.get),
    nodeAddress = NodeAddress.read(set.get),
    nodeAutostart = NodeAutostart.read(set.get),
    nodePath = NodePath.read(set.get),
    nodeTimeoutMs = NodeTimeout.read(set.get),
    memory = Memory.read(set.get),
    partitions = Partitions.read(set.get),
    explain = Explain.read(set.get),
    explainOnly = ExplainOnly.read(set.get),
    minBytes = MinBytes.read(set.get),
    scanOnly = ScanOnly.read(set.get),
    directCollect = DirectCollect.read(set.get),
    runtimeFallback = RuntimeFallback.read(set.get),
    strictFloat = StrictFloat.read(set.get),
    recordDir = RecordDir.read(set.get),
    operatorsOff = switchedOff("operator", set),
    expressionsOff = switchedOff("expression", set))

  private def switchedOff(kind: String, set: Map[String, String]): Set[String] =
    set.keySet.flatMap(key => switchOf(key).collect { case (`kind`, name) => key -> name })
      .collect { case (key, name) if !Switches.head.copy(key = key).read(set.get) => name }
}
