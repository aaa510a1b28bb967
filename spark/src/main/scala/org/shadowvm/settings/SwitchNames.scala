// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.settings

import org.shadowvm.translate.expression.ExpressionTable
import org.shadowvm.translate.operator.{AggregateCalls, OperatorTable}

/** What can be switched off by itself: whatever has a rule. */
object SwitchNames {
  lazy val operators: Set[String] = OperatorTable.names.toSet
  lazy val expressions: Set[String] = (ExpressionTable.names ++ AggregateCalls.names).toSet

  /** Of a kind of switches, "operator" or "expression". */
  def of(kind: String): Set[String] = if (kind == "operator") operators else expressions

  /** Operators may also be called as Spark's classes are, "FilterExec". */
  def plain(kind: String, name: String): String = if (kind == "operator") name.stripSuffix("Exec") else name
}
