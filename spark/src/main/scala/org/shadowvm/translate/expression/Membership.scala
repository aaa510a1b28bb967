// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{BinaryType, DoubleType, FloatType}

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Reason, WireLiterals}

/** Lists of constants. */
object Membership {

  val rules: Seq[(Class[_], Rule)] = Seq(on[In](in), on[InSet](inSet))

  private def in(node: In, translate: ExpressionTranslator): Translation = {
    val constants = node.list.collect { case Literal(value, dataType) if dataType == node.value.dataType => value }
    if (constants.length != node.list.length) Left(Reason.use(node, "the list holds more than constants of one type"))
    else list(node, node.value, constants, translate)
  }

  /** Sets of floats tell -0.0 from 0.0, which no other comparison does. */
  private def inSet(node: InSet, translate: ExpressionTranslator): Translation = node.child.dataType match {
    case FloatType | DoubleType => Left(Reason.use(node, "long lists of floats"))
    case _ => list(node, node.child, node.hset.toSeq, translate)
  }

  private def list(
      node: Expression,
      value: Expression,
      constants: Seq[Any],
      translate: ExpressionTranslator): Translation =
    if (constants.isEmpty) Left(Reason.use(node, "an empty list"))
    else if (value.dataType == BinaryType) Left(Reason.use(node, "lists of binary values"))
    else {
      for {
        wireValue <- translate(value)
        items <- ExpressionTranslator.sequence(constants.map(WireLiterals.of(_, value.dataType)))
      } yield {
        val result = wire.InList.newBuilder().setValue(wireValue)
        items.foreach(item => result.addItems(item))
        wire.Expression.newBuilder().setInList(result).build()
      }
    }
}
