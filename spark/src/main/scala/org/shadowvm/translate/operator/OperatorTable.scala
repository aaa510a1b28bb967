// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.execution.SparkPlan

import org.shadowvm.translate.{PlanSupport, Reason}

/** The one table of operators with a rule. ADD_OPERATOR.md lists what a new one needs. */
object OperatorTable {

  private val rules: Map[Class[_], OperatorRule] =
    (Scans.rules ++ RowSteps.rules ++ Aggregates.rules ++ Joins.rules ++ Sorts.rules ++ Limits.rules ++
      Vanishing.rules).toMap

  def translate(node: SparkPlan, support: PlanSupport): Outcome = {
    val name = nameOf(node.getClass)
    rules.get(node.getClass) match {
      case None => Left(Seq(Reason.operator(node)))
      case Some(_) if !support.session.operatorEnabled(name) =>
        Left(Seq(Reason.switchedOff(support.session.operatorKey(name))))
      case Some(rule) => rule(node, support)
    }
  }

  /** Names that spark.shadowvm.operator.<Name>.enabled knows. */
  def names: Seq[String] = rules.keys.map(nameOf).toSeq.sorted

  /** "FilterExec" is called Filter, as Spark's own plans do. */
  private def nameOf(operator: Class[_]): String = operator.getSimpleName.stripSuffix("Exec")
}
