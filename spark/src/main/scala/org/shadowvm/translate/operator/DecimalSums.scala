// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Sum}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.types.{DecimalType, LongType}

import org.shadowvm.translate.Reason

/**
 * Spark sums short decimals as longs, MakeDecimal(sum(UnscaledValue(x))). The node sums decimals as they are, so both
 * wrappers go: a sum that leaves the decimal's precision is null or an error either way.
 */
object DecimalSums {

  /** What a sum is really of. */
  def summed(call: AggregateExpression): Expression = call.aggregateFunction.children.head match {
    case UnscaledValue(decimal) => decimal
    case other => other
  }

  /** The result expressions with such sums as decimals; a reason where one is used as the long it is in Spark. */
  def resultsOf(node: BaseAggregateExec): Either[Seq[Reason], Seq[NamedExpression]] = {
    val calls = node.aggregateAttributes.map(_.exprId).zip(node.aggregateExpressions)
    val sums = calls.collect { case (id, call) if isUnscaled(call) => id -> sumType(call) }.toMap
    if (sums.isEmpty) Right(node.resultExpressions)
    else {
      val decimals = node.resultExpressions.map(_.transform { case make @ MakeDecimal(sum: AttributeReference, _, _, _)
          if sums.get(sum.exprId).contains(make.dataType) =>
        AttributeReference(sum.name, make.dataType, sum.nullable)(sum.exprId)
      }.asInstanceOf[NamedExpression])
      val stillLong = decimals.exists(_.exists {
        case reference: AttributeReference => sums.contains(reference.exprId) && reference.dataType == LongType
        case _ => false
      })
      if (stillLong) Left(Seq(Reason("EXPRESSION_USE", "a sum of unscaled decimals is used as a number")))
      else Right(decimals)
    }
  }

  private def isUnscaled(call: AggregateExpression): Boolean = call.aggregateFunction match {
    case sum: Sum => sum.child.isInstanceOf[UnscaledValue]
    case _ => false
  }

  private def sumType(call: AggregateExpression): DecimalType = summed(call).dataType match {
    case decimal: DecimalType => DecimalType(math.min(decimal.precision + 10, DecimalType.MAX_PRECISION), decimal.scale)
  }
}
