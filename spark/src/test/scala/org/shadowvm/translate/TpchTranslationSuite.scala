// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import org.apache.spark.sql.execution.SparkPlan

/** Queries derived from TPC-H: whatever of them stays in Spark says why. */
class TpchTranslationSuite extends TranslateSuite {

  override protected def beforeAll(): Unit =
    TpchSchema.tables.foreach { case (name, schema) => makeTable(name, schema) }

  /** What each query has that stays in Spark; nothing: it runs whole in the node. */
  private val expected: Map[String, Set[String]] = Map(
    "q16" -> Set("JOIN_KIND"),
    "q21" -> Set("JOIN_CONDITION"))

  for (joins <- Seq("broadcast", "sort-merge"); query <- queries("tpch")) {
    test(s"$query, $joins joins") {
      val threshold = if (joins == "broadcast") "10m" else "-1"
      withSettings("spark.sql.autoBroadcastJoinThreshold" -> threshold) {
        val plan = planOf(sqlFile(s"tpch/$query"))
        assert(codesOf(plan) == expected.getOrElse(query, Set.empty), plan)
        assert(everyGapHasAReason(plan, support), plan)
      }
    }
  }

  /** Below every operator that cannot run in the node with all its inputs there is one with a reason. */
  private def everyGapHasAReason(plan: SparkPlan, found: PlanSupport): Boolean =
    found.wholeSubtree(plan) || plan.exists(node => found.reasons(node).nonEmpty)
}
