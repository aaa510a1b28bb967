// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.Reason

object Comparisons {

  val rules: Seq[(Class[_], Rule)] = Seq(
    on[EqualTo](compare(_, wire.Operator.OPERATOR_EQUAL, _)),
    on[EqualNullSafe](compare(_, wire.Operator.OPERATOR_EQUAL_NULL_SAFE, _)),
    on[LessThan](compare(_, wire.Operator.OPERATOR_LESS, _)),
    on[LessThanOrEqual](compare(_, wire.Operator.OPERATOR_LESS_EQUAL, _)),
    on[GreaterThan](compare(_, wire.Operator.OPERATOR_GREATER, _)),
    on[GreaterThanOrEqual](compare(_, wire.Operator.OPERATOR_GREATER_EQUAL, _))
  )

  private def compare(node: BinaryComparison, operator: wire.Operator, translate: ExpressionTranslator): Translation =
    if (node.left.dataType == node.right.dataType) translate.call(operator, node.left, node.right)
    else Left(Reason.use(node, s"${node.left.dataType.sql} with ${node.right.dataType.sql}"))
}
