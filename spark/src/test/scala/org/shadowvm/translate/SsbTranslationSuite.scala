// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import org.shadowvm.proto.{v1 => wire}

/** All 13 queries of the Star Schema Benchmark run whole in the node, whatever way Spark plans their joins. */
class SsbTranslationSuite extends TranslateSuite {

  override protected def beforeAll(): Unit = SsbSchema.tables.foreach { case (name, schema) => makeTable(name, schema) }

  private val plannings = Seq(
    "broadcast joins" -> Seq.empty[(String, String)],
    "sort-merge joins" -> Seq("spark.sql.autoBroadcastJoinThreshold" -> "-1"),
    "shuffled hash joins" -> Seq(
      "spark.sql.autoBroadcastJoinThreshold" -> "-1", "spark.sql.join.preferSortMergeJoin" -> "false"),
    "no adaptive execution" -> Seq("spark.sql.adaptive.enabled" -> "false"),
    "ANSI" -> Seq("spark.sql.ansi.enabled" -> "true"))

  for ((planning, settings) <- plannings; query <- queries("ssb")) {
    test(s"$query is one command, $planning") {
      withSettings(settings: _*) {
        val sql = sqlFile(s"ssb/$query")
        val command = translated(sql).command
        val tables = SsbSchema.tables.keys.count(name => s"\\b$name\\b".r.findFirstIn(fromClause(sql)).isDefined)
        assert(count(command, wire.Action.KindCase.SCAN) == tables)
        assert(count(command, wire.Action.KindCase.JOIN) == tables - 1)
        assert(count(command, wire.Action.KindCase.AGGREGATE) == 1)
        assert(count(command, wire.Action.KindCase.SORT) == (if (query.startsWith("q1")) 0 else 1))
      }
    }
  }

  test("q1.1, action by action") {
    withSettings("spark.sql.ansi.enabled" -> "false") {
      assert(commandOf(sqlFile("ssb/q1.1")) == Seq(
        "0() scan lo_orderdate, lo_quantity, lo_extendedprice, lo_discount",
        "1(0) filter is_not_null(#3), is_not_null(#1), greater_equal(#3, 1:int32), less_equal(#3, 3:int32), " +
          "less(#1, 25:int32), is_not_null(#0)",
        "2(1) map lo_orderdate: #0, lo_extendedprice: #2, lo_discount: #3",
        "3() scan d_datekey, d_year",
        "4(3) filter is_not_null(#1), equal(#1, 1993:int32), is_not_null(#0)",
        "5(4) map d_datekey: #0",
        "6(2,5) join inner build right #0 = #0",
        "7(6) map lo_extendedprice: #1, lo_discount: #2",
        "8(7) aggregate ; sum[legacy](multiply[legacy](#0, #1))",
        "9(8) map revenue: #0"))
    }
  }

  test("every action has its operator, every operator that does not vanish its action") {
    val plan = planOf(sqlFile("ssb/q4.1"))
    val result = translated(plan)
    assert(result.planOf.keySet == (0 until result.command.getActionsCount).toSet)
    val named = result.planOf.values.map(_.nodeName).toSet
    assert(named.exists(_.startsWith("Scan")) && named("BroadcastHashJoin") && named("HashAggregate") && named("Sort"))
    assert(plan.collect { case node => support.reasons(node) }.flatten.isEmpty)
  }

  private def fromClause(sql: String): String = sql.substring(sql.indexOf("FROM"), sql.indexOf("WHERE"))

  private def count(command: wire.Command, kind: wire.Action.KindCase): Int =
    command.getActionsList.stream.filter(_.getKindCase == kind).count.toInt
}
