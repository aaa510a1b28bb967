// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

/** Translation is paid for by every query. The bars are wide: they catch a walk that became quadratic, not noise. */
class TranslationCostSuite extends TranslateSuite {

  override protected def beforeAll(): Unit = SsbSchema.tables.foreach { case (name, schema) => makeTable(name, schema) }

  test("a warm translation of q4.1 takes little time") {
    val plan = planOf(sqlFile("ssb/q4.1"))
    val runs = (1 to 300).map { _ =>
      val start = System.nanoTime
      assert(PlanTranslator.translate(plan, support).isRight)
      (System.nanoTime - start) / 1e6
    }
    val best = runs.takeRight(100).sorted
    info(f"milliseconds: least ${best.head}%.2f, median ${best(50)}%.2f")
    assert(best.head < 10)
  }
}
