// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions.Expression

/** The one table of expressions with a rule. ADD_EXPRESSION.md lists what a new one needs. */
object ExpressionTable {

  private val rules: Map[Class[_], Rule] =
    (Arithmetic.rules ++ Comparisons.rules ++ Logic.rules ++ Choices.rules ++ Membership.rules ++ TextMatches.rules ++
      Casts.rules ++ DateParts.rules ++ Subqueries.rules ++ Wrappers.rules).toMap

  def ruleOf(expression: Expression): Option[Rule] = rules.get(expression.getClass)

  /** Names that spark.shadowvm.expression.<Name>.enabled knows, aggregate functions apart. */
  def names: Seq[String] = rules.keys.map(_.getSimpleName).toSeq.sorted
}
