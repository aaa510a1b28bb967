// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types._

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.Reason

/** Numbers. Catalyst has brought operands to one type already, decimals excepted. */
object Arithmetic {

  val rules: Seq[(Class[_], Rule)] = Seq(
    on[Add](binary(_, wire.Operator.OPERATOR_ADD, _)),
    on[Subtract](binary(_, wire.Operator.OPERATOR_SUBTRACT, _)),
    on[Multiply](binary(_, wire.Operator.OPERATOR_MULTIPLY, _)),
    on[Divide](binary(_, wire.Operator.OPERATOR_DIVIDE, _)),
    on[Remainder](binary(_, wire.Operator.OPERATOR_MODULO, _)),
    on[UnaryMinus](negate)
  )

  private def binary(node: BinaryArithmetic, operator: wire.Operator, translate: ExpressionTranslator): Translation =
    (node.left.dataType, node.right.dataType, node.dataType) match {
      case (left: DecimalType, right: DecimalType, result: DecimalType) =>
        decimalProblem(node, left, right, result, translate)
          .toLeft(()).flatMap(_ => translate.call(operator, modeOf(node), node.left, node.right))
      case (left: NumericType, right, _) if left == right && !left.isInstanceOf[DecimalType] =>
        translate.call(operator, modeOf(node), node.left, node.right)
      case _ => Left(Reason.use(node, s"not on ${node.left.dataType.sql} and ${node.right.dataType.sql}"))
    }

  private def modeOf(node: BinaryArithmetic): wire.EvalMode = WireModes.of(EvalContexts.modeOf(node))

  /** Only integers overflow when negated. */
  private def negate(node: UnaryMinus, translate: ExpressionTranslator): Translation =
    if (!node.dataType.isInstanceOf[NumericType]) Left(Reason.use(node, s"not on ${node.dataType.sql}"))
    else {
      val mode = if (node.failOnError) wire.EvalMode.EVAL_MODE_ANSI else wire.EvalMode.EVAL_MODE_LEGACY
      translate.call(wire.Operator.OPERATOR_NEGATE, mode, node.child)
    }

  private val MaxPrecision = DecimalType.MAX_PRECISION

  /** The node computes decimals in 128 bits, dividends in 256: exactly, or not at all. */
  private def decimalProblem(
      node: BinaryArithmetic,
      left: DecimalType,
      right: DecimalType,
      result: DecimalType,
      translate: ExpressionTranslator): Option[Reason] = {
    val whole = math.max(left.precision - left.scale, right.precision - right.scale)
    val scale = math.max(left.scale, right.scale)
    def reason(why: String) = Some(Reason("DECIMAL_WIDTH", s"${node.prettyName} of ${left.sql} and ${right.sql}: $why"))
    node match {
      case _ if EvalContexts.allowsPrecisionLoss(node).exists(_ != translate.session.allowsPrecisionLoss) =>
        reason("its rule of precision is not the session's")
      case _: Divide if left.precision + result.scale - left.scale + right.scale > 2 * MaxPrecision =>
        reason("the scaled dividend would need more than 76 digits")
      case _: Divide if translate.session.roundsQuotientsTwice => Some(Reason.twiceRounded)
      case _: Divide => None
      case _: Multiply if result.scale < left.scale + right.scale => reason("the product would lose some of its scale")
      case _: Multiply => None
      case _ if whole + scale > MaxPrecision => reason("both sides together need more than 38 digits")
      case _ if result.scale < scale => reason("the result would lose some of its scale")
      case _ => None
    }
  }
}
