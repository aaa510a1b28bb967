// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.settings

import org.shadowvm.settings.SettingKind._
import org.shadowvm.settings.SettingScope._

/** Every key there is. A new one goes here, into [[ShadowSettings]] and, by itself, into docs/settings.md. */
object KnownSettings {
  val Prefix = "spark.shadowvm."

  val Enabled: Setting[Boolean] = Setting(
    Prefix + "enabled", Flag, true, Query,
    "Whether queries may run in a node. When false, the plugin leaves every plan as it is.", "0.1.0")

  val Mode: Setting[String] = Setting(
    Prefix + "mode", Choice("auto", "cpu", "gpu", "mixed"), "auto", Query,
    "Which processors run kernels: `auto` lets the node choose. Where there is no GPU, `gpu` and `mixed` run on the " +
      "CPU, and the driver's log says once why.", "0.1.0")

  val NodeAddress: Setting[Option[String]] = Setting(
    Prefix + "node.address", Maybe(Text), None, Application,
    "The Unix socket of a node that runs already: a path or `unix:PATH`. When empty, the plugin starts one itself.",
    "0.1.0")

  val NodeAutostart: Setting[Boolean] = Setting(
    Prefix + "node.autostart", Flag, true, Application,
    "Whether the plugin starts a node when no address is given and Spark's master is local.", "0.1.0")

  val NodePath: Setting[Option[String]] = Setting(
    Prefix + "node.path", Maybe(Text), None, Application,
    "The program `shadowvm`. When empty it is looked for beside the plugin's jar (`../bin/shadowvm`) and on PATH.",
    "0.1.0")

  val NodeTimeout: Setting[Long] = Setting(
    Prefix + "node.timeout", Time(1000), 10000, Application,
    "How long a node may be silent. After that it counts as hung: queries that wait for it run in Spark, and a node " +
      "that the plugin has started is started anew. How long a query may take has no limit.", "0.1.0")

  val Memory: Setting[Option[Long]] = Setting(
    Prefix + "memory", Maybe(Bytes), None, Application,
    "The budget of a node that the plugin starts. When empty: half of what the machine's memory, or the container's " +
      "limit, leaves beside the JVM's heap.", "0.1.0")

  val Partitions: Setting[Option[Int]] = Setting(
    Prefix + "partitions", Maybe(Number(1)), None, Query,
    "Local partitions, which are the node's units of work, that each scan of a query is cut into: fewer leave " +
      "threads of the node to other queries. A partition has 2,048 rows at least and never more than a segment of 1 " +
      "Mi rows; what is read from a file for the first time is taken segment by segment. When empty: of 128 Ki rows " +
      "each.", "0.1.0")

  val Explain: Setting[String] = Setting(
    Prefix + "explain", Choice("NONE", "FALLBACK", "ALL"), "NONE", Query,
    "What is logged of each query: nothing, the operators that stay in Spark with the reasons, or every operator, " +
      "and when it has run where each pipeline ran, the time predicted for it and the time it took.",
    "0.1.0")

  val ExplainOnly: Setting[Boolean] = Setting(
    Prefix + "explainOnly", Flag, false, Query,
    "Only say what would run in a node: every query runs in Spark, and no node is needed.", "0.1.0")

  val MinBytes: Setting[Long] = Setting(
    Prefix + "minBytes", Bytes, 1L << 20, Query,
    "Queries whose files have fewer bytes than this in all stay in Spark.", "0.1.0")

  val ScanOnly: Setting[Boolean] = Setting(
    Prefix + "scanOnly.enabled", Flag, false, Query,
    "Whether what only reads, filters and projects runs in a node, too. It hands Spark nearly all that it reads, so " +
      "that it seldom pays.", "0.1.0")

  val DirectCollect: Setting[Boolean] = Setting(
    Prefix + "directCollect", Flag, false, Query,
    "Collect without a Spark job, which saves some milliseconds. A query that takes longer than 50 ms gets a job " +
      "that waits beside it, so that it can be cancelled; a shorter one is in no job list.", "0.1.0")

  val RuntimeFallback: Setting[Boolean] = Setting(
    Prefix + "fallback.runtime.enabled", Flag, true, Query,
    "Whether Spark runs a query that fails in the node before its first row. When false, such a query fails.", "0.1.0")

  val StrictFloat: Setting[Boolean] = Setting(
    Prefix + "strictFloat", Flag, false, Query,
    "Keep in Spark what adds up floats: a node adds in another order, so the last bits may differ.", "0.1.0")

  val RecordDir: Setting[Option[String]] = Setting(
    Prefix + "record.dir", Maybe(Text), None, Query,
    "A folder that gets every command as a file, for `shadowvm replay`. When empty, nothing is recorded.", "0.1.0")

  /** One switch per operator and per expression, named after Spark's class without the suffix `Exec`. */
  val Switches: Seq[Setting[Boolean]] = Seq(
    Setting(Prefix + "operator.<Name>.enabled", Flag, true, Query,
      "Whether an operator, such as `SortMergeJoin`, may run in a node.", "0.1.0"),
    Setting(Prefix + "expression.<Name>.enabled", Flag, true, Query,
      "Whether an expression, such as `Like` or `Sum`, may run in a node.", "0.1.0"))

  val All: Seq[Setting[_]] = Seq[Setting[_]](
    Enabled, Mode, NodeAddress, NodeAutostart, NodePath, NodeTimeout, Memory, Partitions, Explain, ExplainOnly,
    MinBytes, ScanOnly, DirectCollect, RuntimeFallback, StrictFloat, RecordDir) ++ Switches

  private val switchPattern = """spark\.shadowvm\.(operator|expression)\.(\w+)\.enabled""".r

  /** The setting of a key as users write it. */
  def of(key: String): Option[Setting[_]] = key match {
    case switchPattern(kind, name) if SwitchNames.of(kind)(SwitchNames.plain(kind, name)) =>
      Switches.find(_.key.startsWith(s"$Prefix$kind.")).map(_.copy(key = key))
    case _ => All.find(_.key == key)
  }

  /** What a switch speaks of, whether there is such a thing or not: ("operator", "Sort"). */
  def switchOf(key: String): Option[(String, String)] = key match {
    case switchPattern(kind, name) => Some((kind, SwitchNames.plain(kind, name)))
    case _ => None
  }

  /** Every key that there is, but for those of switches with their names: these, for all names of a kind. */
  def keysLike(key: String): Iterable[String] = switchOf(key) match {
    case Some((kind, _)) => SwitchNames.of(kind).map(name => s"$Prefix$kind.$name.enabled")
    case None => All.map(_.key)
  }
}
