// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

/** Queries derived from TPC-H: all of each runs in the node, subqueries for themselves. */
class TpchTranslationSuite extends TranslateSuite {

  override protected def beforeAll(): Unit =
    TpchSchema.tables.foreach { case (name, schema) => makeTable(name, schema) }

  for (joins <- Seq("broadcast", "sort-merge"); query <- queries("tpch")) {
    test(s"$query, $joins joins") {
      val threshold = if (joins == "broadcast") "10m" else "-1"
      withSettings("spark.sql.autoBroadcastJoinThreshold" -> threshold) {
        val plan = planOf(sqlFile(s"tpch/$query"))
        assert(codesOf(plan).isEmpty, plan)
      }
    }
  }
}
