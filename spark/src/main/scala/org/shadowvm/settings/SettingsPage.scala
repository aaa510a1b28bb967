// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.settings

/** docs/settings.md, from [[KnownSettings]]; a test fails while the two differ. */
object SettingsPage {

  def text: String = (head ++ KnownSettings.All.map(row) ++ names).mkString("", "\n", "\n")

  private val head = Seq(
    "# Settings of the Spark plugin",
    "",
    "Written by the plugin's code (`SettingsPage`); the test `SettingsPageSuite` says how to write it anew.",
    "",
    "Set them like any setting of Spark: with `--conf`, in `spark-defaults.conf`, or in the builder of a session.",
    "Those of the scope *query* may also be changed while Spark runs, by `spark.conf.set` or SQL's `SET`; those of the",
    "scope *application* are read once, when it starts. A value of a wrong type is an error that names the key, an",
    "unknown key below `spark.shadowvm.` gets a warning.",
    "",
    "| key | type | default | scope | since | meaning |",
    "| --- | --- | --- | --- | --- | --- |")

  private def names: Seq[String] = Seq(
    "",
    "## Names of switches",
    "",
    s"- Operators: ${listed(SwitchNames.operators)}.",
    s"- Expressions: ${listed(SwitchNames.expressions)}.")

  private def listed(names: Set[String]): String = names.toSeq.sorted.map(name => s"`$name`").mkString(", ")

  private def row(setting: Setting[_]): String = {
    val default = if (setting.defaultText.isEmpty) "" else s"`${setting.defaultText}`"
    val kind = setting.kind.name.replace("|", "\\|")
    s"| `${setting.key}` | $kind | $default | ${setting.scope.text} | ${setting.since} | ${setting.doc} |"
  }
}
