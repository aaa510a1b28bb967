// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum

/** What arithmetic says of its own meaning, in Spark 4.1. */
object EvalContexts {

  def modeOf(node: BinaryArithmetic): EvalMode.Value = node.evalContext.evalMode

  def modeOf(sum: Sum): EvalMode.Value = sum.evalContext.evalMode

  /** Whether decimals lose scale rather than overflow. None: as the session says. */
  def allowsPrecisionLoss(node: BinaryArithmetic): Option[Boolean] = Some(node.evalContext.allowDecimalPrecisionLoss)
}
