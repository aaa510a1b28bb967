// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.settings

import org.apache.spark.SparkConf
import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

class ShadowSettingsSuite extends AnyFunSuite {

  private def settings(set: (String, String)*): ShadowSettings = {
    val conf = new SQLConf
    set.foreach { case (key, value) => conf.setConfString(KnownSettings.Prefix + key, value) }
    ShadowSettings.of(conf)
  }

  private def complaint(key: String, value: String): String =
    intercept[SettingError](settings(key -> value)).getMessage

  test("defaults are those of the table") {
    val defaults = settings()
    assert(defaults.enabled)
    assert(defaults.mode == "auto")
    assert(defaults.nodeAddress.isEmpty)
    assert(defaults.memory.isEmpty)
    assert(defaults.minBytes == KnownSettings.MinBytes.default)
    assert(defaults.operatorEnabled("SortExec"))
  }

  test("values of every type are read") {
    val read = settings(
      "enabled" -> " FALSE ", "mode" -> "CPU", "explain" -> "fallback", "memory" -> "2g", "minBytes" -> "0",
      "partitions" -> "3", "node.timeout" -> "2500ms", "node.address" -> "unix:/run/node.sock", "record.dir" -> "")
    assert(!read.enabled)
    assert(read.mode == "cpu")
    assert(read.explain == "FALLBACK")
    assert(read.memory.contains(2L << 30))
    assert(read.minBytes == 0)
    assert(read.partitions.contains(3) && read.nodeTimeoutMs == 2500)
    assert(read.nodeAddress.contains("unix:/run/node.sock"))
    assert(read.recordDir.isEmpty)
  }

  test("a value of a wrong type names the key, the value and what is expected") {
    assert(complaint("enabled", "yes") == """spark.shadowvm.enabled is "yes"; expected true or false""")
    assert(complaint("partitions", "0").endsWith("""is "0"; expected a whole number, at least 1"""))
    assert(complaint("minBytes", "much").contains("expected a size such as"))
    assert(complaint("memory", "-1g").contains("expected a size such as"))
    assert(complaint("node.timeout", "10ms").endsWith("expected a time such as 10s or 1m, at least 1000 ms"))
    assert(complaint("mode", "tpu").endsWith("expected one of auto, cpu, gpu, mixed"))
    assert(complaint("operator.Sort.enabled", "2").startsWith("spark.shadowvm.operator.Sort.enabled is"))
  }

  test("single operators and expressions can be switched off") {
    val read = settings("operator.SortExec.enabled" -> "false", "expression.Substring.enabled" -> "false")
    assert(!read.operatorEnabled("Sort") && !read.operatorEnabled("SortExec"))
    assert(read.operatorEnabled("Filter"))
    assert(!read.expressionEnabled("Substring") && read.expressionEnabled("Add"))
  }

  test("what the application was started with: wrong types are errors, unknown keys are named") {
    val unknown = new SparkConf(false).set("spark.shadowvm.node.adress", "/x").set("spark.shadowvm.enabled", "true")
    assert(ShadowSettings.checkAll(unknown) == Seq(
      "spark.shadowvm.node.adress is no setting of ShadowVM and has no effect; did you mean " +
        "spark.shadowvm.node.address?"))
    intercept[SettingError](ShadowSettings.checkAll(new SparkConf(false).set("spark.shadowvm.memory", "lots")))
  }

  test("a switch of something that has no rule is unknown, and its value is looked at nevertheless") {
    val wrong = Seq(
      "operator.Filtr.enabled" -> "operator.Filter.enabled", "operator.SortExc.enabled" -> "operator.Sort.enabled",
      "expression.Summ.enabled" -> "expression.Sum.enabled")
    for ((key, meant) <- wrong) {
      val warnings = UnknownSettings.warnings(Seq(s"spark.shadowvm.$key"))
      assert(warnings.size == 1 && warnings.head.endsWith(s"did you mean spark.shadowvm.$meant?"), warnings)
    }
    assert(complaint("operator.Filtr.enabled", "no").contains("expected true or false"))
  }

  test("whatever has a rule can be switched off") {
    val known = Seq(
      "operator.FilterExec", "operator.Filter", "operator.SortMergeJoin", "operator.ShuffleExchange",
      "expression.Add", "expression.Sum", "expression.Like")
    assert(UnknownSettings.warnings(known.map(name => s"spark.shadowvm.$name.enabled")).isEmpty)
  }

  test("an unknown key is warned of once, and not by those who come after others") {
    val keys = Seq("spark.shadowvm.operators.Sort.enabled", "spark.shadowvm.enabled", "spark.other")
    val unknown = new UnknownSettings
    val warnings = unknown.warnings(keys)
    assert(warnings.size == 1, warnings)
    assert(warnings.head.endsWith("did you mean spark.shadowvm.operator.<Name>.enabled?"), warnings)
    assert(unknown.warnings(keys).isEmpty)
    assert(new UnknownSettings(keys).warnings(keys).isEmpty)
  }
}
