// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum

/** What arithmetic says of its own meaning, in Spark 3.5. */
object EvalContexts {

  def modeOf(node: BinaryArithmetic): EvalMode.Value = node match {
    case add: Add => add.evalMode
    case subtract: Subtract => subtract.evalMode
    case multiply: Multiply => multiply.evalMode
    case divide: Divide => divide.evalMode
    case remainder: Remainder => remainder.evalMode
  }

  def modeOf(sum: Sum): EvalMode.Value = sum.evalMode

  /** Whether decimals lose scale rather than overflow. None: as the session says. */
  def allowsPrecisionLoss(node: BinaryArithmetic): Option[Boolean] = None
}
