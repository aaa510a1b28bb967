// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

/** What expressions become, one by one. */
class ExpressionTranslationSuite extends TranslateSuite {

  override protected def beforeAll(): Unit = makeTable("t", TypesTable.schema)

  /** The expression of a query that has no other; columns are those it reads, in the table's order. */
  private def wireOf(expression: String): String = {
    val command = translated(s"SELECT $expression AS result FROM t").command
    val last = command.getActions(command.getActionsCount - 1)
    CommandText.of(last.getMap.getExpressions(0).getExpression)
  }

  private def becomes(expression: String, expected: String): Unit =
    test(s"$expression becomes $expected") {
      withSettings("spark.sql.ansi.enabled" -> "false")(assert(wireOf(expression) == expected))
    }

  private def becomesAnsi(expression: String, expected: String): Unit =
    test(s"under ANSI $expression becomes $expected") {
      withSettings("spark.sql.ansi.enabled" -> "true")(assert(wireOf(expression) == expected))
    }

  becomes("i32 + 1", "add[legacy](#0, 1:int32)")
  becomes("i64 - i64", "subtract[legacy](#0, #0)")
  becomes("i8 * i16", "multiply[legacy](cast[legacy](#0 as int16), #1)")
  becomes("d / 2", "divide[legacy](#0, 2.0:double)")
  becomes("i32 / i64", "divide[legacy](cast[legacy](#0 as double), cast[legacy](#1 as double))")
  becomes("i32 % 7", "modulo[legacy](#0, 7:int32)")
  becomes("-f", "negate[legacy](#0)")
  becomes("dec + 1", "add[legacy](#0, 1:decimal(1,0))")
  becomes("dec * dec5", "multiply[legacy](#0, #1)")
  becomes("dec5 / 3.25BD", "divide[legacy](#0, 325:decimal(3,2))")
  becomes("dec - 1234567890123456789.12BD", "subtract[legacy](#0, 123456789012345678912:decimal(21,2))")
  becomes("try_add(i32, 1)", "add[try](#0, 1:int32)")
  becomesAnsi("i32 + 1", "add[ansi](#0, 1:int32)")
  becomesAnsi("i64 % 3", "modulo[ansi](#0, 3:int64)")
  becomesAnsi("-i32", "negate[ansi](#0)")
  becomesAnsi("cast(i64 AS INT)", "cast[ansi](#0 as int32)")

  becomes("i32 = 5", "equal(#0, 5:int32)")
  becomes("i32 <=> i64", "equal_null_safe(cast[legacy](#0 as int64), #1)")
  becomes("d < 'NaN'", "less(#0, NaN:double)")
  becomes("s >= 'a'", "greater_equal(#0, 'a':string)")
  becomes("day <= DATE '1998-09-02'", "less_equal(#0, 10471:date)")
  becomes("ts > TIMESTAMP '1970-01-01 00:00:01'", "greater(#0, 1000000:timestamp)")
  becomes("ntz = TIMESTAMP_NTZ '1970-01-02 00:00:00'", "equal(#0, 86400000000:timestamp_ntz)")
  becomes("i32 BETWEEN 1 AND 3", "and(greater_equal(#0, 1:int32), less_equal(#0, 3:int32))")

  becomes("b AND NOT (i32 > 1 OR s IS NULL)", "and(#0, and(less_equal(#1, 1:int32), is_not_null(#2)))")
  becomes("coalesce(i32, 0)", "coalesce(#0, 0:int32)")
  becomes("if(b, i32, 7)", "if(#0, #1, 7:int32)")
  becomes("CASE WHEN b THEN 1 WHEN i32 = 2 THEN i32 END", "case(#0 -> 1:int32, equal(#1, 2:int32) -> #1)")
  becomes("CASE WHEN b THEN dec ELSE 0 END", "case(#0 -> cast[legacy](#1 as decimal(12,2)), 0:decimal(12,2))")

  becomes("i32 IN (1, 2, NULL)", "#0 in (1:int32, 2:int32, null:int32)")
  becomes("s IN ('a', 'b')", "#0 in ('a':string, 'b':string)")
  becomes("s NOT IN ('a')", "not(equal(#0, 'a':string))")
  becomes("dec IN (1.25BD, 3.00BD)", "#0 in (125:decimal(10,2), 300:decimal(10,2))")

  becomes("s LIKE 'a%'", "starts_with(#0, 'a':string)")
  becomes("s LIKE '%a'", "ends_with(#0, 'a':string)")
  becomes("s LIKE '%a%'", "contains(#0, 'a':string)")
  becomes("s LIKE 'a_b%c'", "#0 like a_b%c")
  becomes("substring(s, 1, 2)", "substring(#0, 1:int32, 2:int32)")
  becomes("startswith(s, 'x')", "starts_with(#0, 'x':string)")

  becomes("cast(i32 AS BIGINT)", "cast[legacy](#0 as int64)")
  becomes("cast(d AS INT)", "cast[legacy](#0 as int32)")
  becomes("cast(dec AS DECIMAL(12,4))", "cast[legacy](#0 as decimal(12,4))")
  becomes("try_cast(i64 AS SMALLINT)", "cast[try](#0 as int16)")
  becomes("cast(b AS INT)", "cast[legacy](#0 as int32)")

  becomes("year(day)", "year(#0)")
  becomes("month(ts)", "month(#0)")
  becomes("day(ntz)", "day(#0)")

  becomes("cast(NULL AS DECIMAL(7,2))", "null:decimal(7,2)")
  becomes("cast(NULL AS STRING)", "null:string")
  becomes("cast(NULL AS BINARY)", "null:binary")

  test("a long list is a list of the same items") {
    val items = (1 to 20).map(_ * 3)
    val wire = wireOf(s"i32 IN (${items.mkString(", ")})")
    items.foreach(item => assert(wire.contains(s"$item:int32")))
  }

  test("settings of the session travel with the command") {
    withSettings(
      "spark.sql.ansi.enabled" -> "true",
      "spark.sql.session.timeZone" -> "Etc/UTC",
      "spark.sql.caseSensitive" -> "true",
      "spark.sql.decimalOperations.allowPrecisionLoss" -> "false",
      "spark.shadowvm.strictFloat" -> "true") {
      val settings = translated("SELECT i32 FROM t").command.getSettings
      assert(settings.getAnsi && settings.getCaseSensitive && settings.getStrictFloat)
      assert(settings.getForbidDecimalPrecisionLoss && settings.getTimeZone == "UTC")
    }
    withSettings("spark.sql.session.timeZone" -> "America/New_York") {
      assert(translated("SELECT i32 FROM t").command.getSettings.getTimeZone == "America/New_York")
    }
  }
}
