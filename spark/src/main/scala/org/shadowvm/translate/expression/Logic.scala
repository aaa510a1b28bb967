// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions._

import org.shadowvm.proto.{v1 => wire}

/** Three-valued logic and tests for null. */
object Logic {

  val rules: Seq[(Class[_], Rule)] = Seq(
    on[And]((node, translate) => translate.call(wire.Operator.OPERATOR_AND, node.left, node.right)),
    on[Or]((node, translate) => translate.call(wire.Operator.OPERATOR_OR, node.left, node.right)),
    on[Not]((node, translate) => translate.call(wire.Operator.OPERATOR_NOT, node.child)),
    on[IsNull]((node, translate) => translate.call(wire.Operator.OPERATOR_IS_NULL, node.child)),
    on[IsNotNull]((node, translate) => translate.call(wire.Operator.OPERATOR_IS_NOT_NULL, node.child))
  )
}
