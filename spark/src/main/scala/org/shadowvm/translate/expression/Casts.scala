// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode}
import org.apache.spark.sql.types._

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Reason, WireTypes}

/** Casts among numbers and booleans. */
object Casts {

  val rules: Seq[(Class[_], Rule)] = Seq(on[Cast](cast))

  private def cast(node: Cast, translate: ExpressionTranslator): Translation =
    for {
      _ <- problem(node).toLeft(())
      dataType <- WireTypes.of(node.dataType)
      arg <- translate(node.child)
    } yield {
      val result = wire.Cast.newBuilder().setArg(arg).setType(dataType).setEvalMode(WireModes.of(node.evalMode))
      wire.Expression.newBuilder().setCast(result).build()
    }

  private def problem(node: Cast): Option[Reason] = {
    val from = node.child.dataType
    def pair(why: String) = Some(Reason("CAST_PAIR", s"cast of ${from.sql} to ${node.dataType.sql}$why"))
    (from, node.dataType) match {
      case (FloatType | DoubleType, _: DecimalType) => pair(": Spark rounds the shortest text of the float")
      case (_: DecimalType, FloatType) => pair(": the node would round twice")
      // Spark takes 2^63, which is no long, for the largest long.
      case (FloatType | DoubleType, LongType) if node.evalMode != EvalMode.LEGACY => pair(" that checks its range")
      case (source, target) if isNumberOrBoolean(source) && isNumberOrBoolean(target) => None
      case _ => pair(" is not supported")
    }
  }

  private def isNumberOrBoolean(dataType: DataType): Boolean =
    dataType.isInstanceOf[NumericType] || dataType == BooleanType
}
