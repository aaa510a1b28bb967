// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import org.apache.spark.sql.catalyst.expressions.{Expression, PlanExpression, UserDefinedExpression}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.DataType

/** Why an operator stays in Spark. The code is stable, for counting; the text is for people. */
final case class Reason(code: String, text: String) {
  def withCode: String = s"$text [$code]"
}

object Reason {

  def operator(node: SparkPlan): Reason =
    Reason("OPERATOR", s"operator ${node.nodeName} is not supported")

  def switchedOff(key: String): Reason = Reason("SWITCHED_OFF", s"$key is false")

  def dataType(dataType: DataType): Reason = Reason("TYPE", s"type ${dataType.sql} is not supported")

  val twiceRounded: Reason =
    Reason("SPARK_VERSION", "this version of Spark rounds quotients of decimals twice; 3.5.1 and later do not")

  def setting(key: String, value: String, effect: String): Reason =
    Reason("SETTING", s"$key = $value $effect")

  /** An expression that has no rule. */
  def expression(expression: Expression): Reason = expression match {
    case _: PlanExpression[_] => Reason("SUBQUERY", s"subquery expressions are not supported: ${nameOf(expression)}")
    case _: UserDefinedExpression => Reason("USER_FUNCTION", s"user functions are not supported: ${nameOf(expression)}")
    case _ if !expression.deterministic =>
      Reason("NON_DETERMINISTIC", s"non-deterministic expressions are not supported: ${nameOf(expression)}")
    case _ => Reason("EXPRESSION", s"expression ${nameOf(expression)} is not supported")
  }

  /** An expression that has a rule, which does not cover this use of it. */
  def use(expression: Expression, why: String): Reason = Reason("EXPRESSION_USE", s"${nameOf(expression)}: $why")

  private def nameOf(expression: Expression): String = expression.prettyName
}
