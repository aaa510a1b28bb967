// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import scala.reflect.ClassTag

import org.apache.spark.sql.catalyst.expressions.Expression

import org.shadowvm.proto.{v1 => wire}

package object expression {

  type Translation = Either[Reason, wire.Expression]

  /** How one class of expressions is translated; arguments go through the translator. */
  type Rule = (Expression, ExpressionTranslator) => Translation

  /** A family's entry for one class. */
  def on[E <: Expression: ClassTag](rule: (E, ExpressionTranslator) => Translation): (Class[_], Rule) = {
    val ofClass = implicitly[ClassTag[E]].runtimeClass
    ofClass -> ((expression, translate) => rule(expression.asInstanceOf[E], translate))
  }
}
