// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions.EvalMode

import org.shadowvm.proto.{v1 => wire}

/** What an expression does where it has no result. Each says so itself, whatever the session's setting is now. */
object WireModes {
  def of(mode: EvalMode.Value): wire.EvalMode = mode match {
    case EvalMode.LEGACY => wire.EvalMode.EVAL_MODE_LEGACY
    case EvalMode.ANSI => wire.EvalMode.EVAL_MODE_ANSI
    case EvalMode.TRY => wire.EvalMode.EVAL_MODE_TRY
  }
}
