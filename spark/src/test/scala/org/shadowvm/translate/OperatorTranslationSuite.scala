// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.Exchange

/** What operators become, one by one. */
class OperatorTranslationSuite extends TranslateSuite {

  override protected def beforeAll(): Unit = {
    makeTable("t", TypesTable.schema)
    makeTable("u", "k INT, v DOUBLE, name STRING")
    val partitioned = folder.resolve("parts").toString
    spark.sql("SELECT cast(id AS INT) AS x, id % 3 AS p, if(id = 0, NULL, 'é') AS q FROM range(6)")
      .write.partitionBy("p", "q").parquet(partitioned)
    spark.read.parquet(partitioned).createOrReplaceTempView("parts")
    spark.conf.set("spark.sql.ansi.enabled", "false")
  }

  test("a scan lists its files with size, time and schema") {
    val files = translated("SELECT k, name FROM u").command.getActions(0).getScan.getFileList
    assert(files.getFilesCount == 1)
    val file = files.getFiles(0)
    assert(file.getPath.startsWith(folder.resolve("u").toString) && file.getSize > 0 && file.getModifiedMs > 0)
    assert(files.getDataFields(0).getName == "k" && files.getDataFields(0).getNullable)
  }

  test("partitions have values, and filters choose among them") {
    val files = translated("SELECT x, p, q FROM parts WHERE p = 1").command.getActions(0).getScan.getFileList
    assert(files.getPartitionFieldsCount == 2 && files.getDataFieldsCount == 1)
    assert(files.getFilesCount > 0)
    files.getFilesList.forEach { file =>
      assert(file.getPartitionValues(0).getIntValue == 1)
      assert(file.getPath.contains("p=1"))
    }
    val all = translated("SELECT x, p, q FROM parts").command.getActions(0).getScan.getFileList
    val texts = (0 until all.getFilesCount).map(all.getFiles(_).getPartitionValues(1))
    assert(texts.exists(_.getStringValue == "é"))
    assert(texts.exists(_.getValueCase == org.shadowvm.proto.v1.Literal.ValueCase.VALUE_NOT_SET))
  }

  test("a count of rows reads the narrowest column") {
    assert(commandOf("SELECT count(*) FROM t") == Seq(
      "0() scan b",
      "1(0) aggregate ; count_all()",
      "2(1) map count(1): #0"))
  }

  test("dynamic pruning of partitions is left to the node") {
    withSettings("spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly" -> "false") {
      val sql = "SELECT x, v FROM parts JOIN u ON p = k WHERE v > 1"
      assert(planOf(sql).toString.contains("dynamicpruning"))
      assert(translated(sql).command.getActionsCount > 0)
    }
  }

  test("a subquery is a constant, of which only the type is known before it has run") {
    val found = translated("SELECT k FROM u WHERE v > (SELECT avg(v) FROM u)")
    assert(CommandText.of(found.command).exists(_.contains("null:double")), CommandText.of(found.command))
    assert(found.subqueries.length == 1)
    assert(translated("SELECT k FROM u WHERE v > 1").subqueries.isEmpty)
  }

  test("groups with every function") {
    val command = commandOf("SELECT k, sum(v), count(name), count(*), min(v), max(name), avg(k) FROM u GROUP BY k")
    assert(command(1) ==
      "1(0) aggregate k: #0; sum[legacy](#1), count(#2), count_all(), min(#1), max(#2), avg[legacy](#0)")
  }

  test("expressions over aggregates come after them") {
    assert(commandOf("SELECT k + 1 AS next, sum(v) / 2 AS half FROM u GROUP BY k").drop(1) == Seq(
      "1(0) aggregate k: #0; sum[legacy](#1)",
      "2(1) map next: add[legacy](#0, 1:int32), half: divide[legacy](#1, 2.0:double)"))
  }

  test("keys of floats need no normalisation") {
    assert(commandOf("SELECT v, count(*) FROM u GROUP BY v")(1) == "1(0) aggregate v: #0; count_all()")
  }

  test("distinct") {
    assert(commandOf("SELECT DISTINCT name FROM u") == Seq("0() scan name", "1(0) aggregate name: #0; "))
    assert(commandOf("SELECT k, count(DISTINCT name) AS n FROM u GROUP BY k") == Seq(
      "0() scan k, name",
      "1(0) aggregate k: #0, name: #1; ",
      "2(1) aggregate k: #0; count(#1)",
      "3(2) map k: #0, n: #1"))
  }

  test("sums of short decimals are sums of decimals") {
    val command = commandOf("SELECT sum(dec5) AS total FROM t")
    assert(command.slice(1, 3) == Seq("1(0) aggregate ; sum[legacy](#0)", "2(1) map total: #0"))
  }

  test("an aggregate by sort is the same aggregate") {
    withSettings("spark.sql.test.forceApplySortAggregate" -> "true") {
      assert(commandOf("SELECT k, max(name) AS m FROM u GROUP BY k") == Seq(
        "0() scan k, name", "1(0) aggregate k: #0; max(#1)", "2(1) map k: #0, m: #1"))
    }
  }

  test("half an aggregate cannot be the last operator") {
    val plan = planOf("SELECT k, sum(v) FROM u GROUP BY k")
    val halves = plan.collect { case aggregate: BaseAggregateExec => aggregate }
    assert(halves.length == 2)
    val found = support
    assert(found.wholeSubtree(halves.head) && !found.wholeSubtree(halves.last))
    assert(halves.forall(found.reasons(_).isEmpty))
    assert(plan.collect { case exchange: Exchange => exchange }.forall(!found.wholeSubtree(_)))
  }

  test("an inner join builds the side that Spark broadcasts; its condition is a filter") {
    assert(commandOf("SELECT /*+ BROADCAST(a) */ a.k, b.v FROM u a JOIN u b ON a.k = b.k AND a.v < b.v").slice(4, 6) ==
      Seq("4(1,3) join inner build left #0 = #0", "5(4) filter less(#1, #3)"))
  }

  test("semi and anti joins") {
    assert(commandOf("SELECT k FROM u a WHERE EXISTS (SELECT 1 FROM t WHERE i32 = a.k)").exists(_.contains("left_semi")))
    assert(commandOf("SELECT k FROM u a WHERE NOT EXISTS (SELECT 1 FROM t WHERE i32 = a.k)")
      .exists(_.contains("left_anti")))
  }

  test("a sort-merge join needs no sort, and builds the smaller side") {
    withSettings("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
      val command = commandOf("SELECT a.k FROM u a JOIN parts b ON a.k = b.x")
      assert(!command.exists(_.contains("sort")))
      assert(command.exists(_.contains("join inner build left")))
      assert(commandOf("SELECT a.k FROM parts b JOIN u a ON a.k = b.x").exists(_.contains("join inner build right")))
    }
  }

  test("null-safe keys") {
    assert(commandOf("SELECT a.k FROM u a JOIN u b ON a.k <=> b.k").exists(_.contains(
      "coalesce(#0, 0:int32) = coalesce(#0, 0:int32), is_null(#0) = is_null(#0)")))
  }

  test("sorts, limits and both") {
    assert(commandOf("SELECT k FROM u ORDER BY k DESC NULLS FIRST, k + 1").last ==
      "1(0) sort #0 desc first, add[legacy](#0, 1:int32) first")
    assert(commandOf("SELECT k FROM u LIMIT 7").last == "1(0) limit 7 offset 0")
    assert(commandOf("SELECT k FROM u LIMIT 7 OFFSET 3").last == "1(0) limit 7 offset 3")
    assert(commandOf("SELECT k FROM u OFFSET 3").last == s"1(0) limit ${Long.MaxValue} offset 3")
    assert(commandOf("SELECT v FROM u ORDER BY k LIMIT 5 OFFSET 2").takeRight(2) ==
      Seq("1(0) top 5 offset 2 by #0 first", "2(1) map v: #1"))
  }

  test("repartitioning vanishes inside, and stays where it is the last") {
    assert(commandOf("SELECT count(*) FROM (SELECT /*+ REPARTITION(5, k) */ k FROM u)").length == 3)
    assert(codesOf("SELECT /*+ REPARTITION(5, k) */ k FROM u") == Set("ROOT"))
  }

  test("bytes of all scans") {
    val found = support
    val plan = planOf("SELECT a.k FROM u a JOIN u b ON a.k = b.k")
    assert(found.wholeSubtree(plan))
    val one = support
    val scan = planOf("SELECT k FROM u")
    assert(one.wholeSubtree(scan) && one.inputBytes(scan) > 0)
    assert(found.inputBytes(plan) == 2 * one.inputBytes(scan))
  }
}
