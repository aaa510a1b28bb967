// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero

/** Expressions that carry knowledge for Spark's planner and change no value. */
object Wrappers {

  val rules: Seq[(Class[_], Rule)] = Seq(
    on[Alias]((node, translate) => translate(node.child)),
    on[KnownNotNull]((node, translate) => translate(node.child)),
    on[KnownNullable]((node, translate) => translate(node.child)),
    on[KnownFloatingPointNormalized]((node, translate) => translate(node.child))
  )

  /**
   * A key of a group or a join without the wrapper that makes all NaN and both zeroes equal: the node does so for keys,
   * and gives the one NaN and the positive zero for a group. Anywhere else that wrapper changes values.
   */
  def key(expression: Expression): Expression = expression match {
    case KnownFloatingPointNormalized(NormalizeNaNAndZero(value)) => value
    case alias: Alias => key(alias.child)
    case other => other
  }
}
