// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.operator

import org.apache.spark.sql.catalyst.expressions.{EvalMode, Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Reason, SessionFacts}
import org.shadowvm.translate.expression.{EvalContexts, ExpressionTranslator, WireModes}

/** Aggregate functions. */
object AggregateCalls {

  def translate(call: AggregateExpression, translate: ExpressionTranslator): Either[Reason, wire.AggregateCall] = {
    val name = call.aggregateFunction.getClass.getSimpleName
    val session = translate.session
    if (!session.expressionEnabled(name)) Left(Reason.switchedOff(session.expressionKey(name)))
    else problem(call, session).toLeft(()).flatMap(_ => function(call, translate))
  }

  private def function(call: AggregateExpression, translate: ExpressionTranslator) = call.aggregateFunction match {
    case sum: Sum =>
      val mode = WireModes.of(EvalContexts.modeOf(sum))
      one(wire.AggregateFunction.AGGREGATE_FUNCTION_SUM, DecimalSums.summed(call), translate, mode)
    case average: Average =>
      one(wire.AggregateFunction.AGGREGATE_FUNCTION_AVG, average.child, translate, WireModes.of(average.evalMode))
    case min: Min => one(wire.AggregateFunction.AGGREGATE_FUNCTION_MIN, min.child, translate)
    case max: Max => one(wire.AggregateFunction.AGGREGATE_FUNCTION_MAX, max.child, translate)
    case count: Count => countOf(count, translate)
    case other => Left(Reason("AGGREGATE_FUNCTION", s"aggregate function ${other.prettyName} is not supported"))
  }

  /** The names that spark.shadowvm.expression.<Name>.enabled knows. */
  val names: Seq[String] = Seq("Average", "Count", "Max", "Min", "Sum")

  private def one(
      function: wire.AggregateFunction,
      argument: Expression,
      translate: ExpressionTranslator,
      mode: wire.EvalMode = wire.EvalMode.EVAL_MODE_UNSPECIFIED): Either[Reason, wire.AggregateCall] =
    translate(argument).map { translated =>
      wire.AggregateCall.newBuilder().setFunction(function).setArgument(translated).setEvalMode(mode).build()
    }

  /** Of a constant: all rows. */
  private def countOf(count: Count, translate: ExpressionTranslator): Either[Reason, wire.AggregateCall] =
    count.children match {
      case children if children.forall(isConstant) =>
        val function = wire.AggregateFunction.AGGREGATE_FUNCTION_COUNT_ALL
        Right(wire.AggregateCall.newBuilder().setFunction(function).build())
      case Seq(argument) => one(wire.AggregateFunction.AGGREGATE_FUNCTION_COUNT, argument, translate)
      case _ => Left(Reason("AGGREGATE_FUNCTION", "count of several columns is not supported"))
    }

  private def isConstant(expression: Expression): Boolean = expression match {
    case Literal(value, _) => value != null
    case _ => false
  }

  private def problem(call: AggregateExpression, session: SessionFacts): Option[Reason] = {
    val function = call.aggregateFunction
    val argument = function.children.headOption.map(_.dataType)
    def reason(code: String, why: String) = Some(Reason(code, s"${function.prettyName}: $why"))
    (function, argument) match {
      case _ if call.filter.isDefined => reason("AGGREGATE_FILTER", "FILTER is not supported")
      case (_: Average, Some(_: DecimalType)) if session.roundsQuotientsTwice => Some(Reason.twiceRounded)
      case (_: Average, Some(_: NumericType)) if session.strictFloat && !argument.exists(_.isInstanceOf[DecimalType]) =>
        reason("STRICT_FLOAT", "averages are sums of floats, which depend on the order of rows")
      case (_: Sum, Some(FloatType | DoubleType)) if session.strictFloat =>
        reason("STRICT_FLOAT", "sums of floats depend on the order of rows")
      case (sum: Sum, Some(ByteType | ShortType | IntegerType | LongType))
          if EvalContexts.modeOf(sum) == EvalMode.TRY =>
        reason("AGGREGATE_FUNCTION", "sums of integers that are null on overflow are not supported")
      case (_: Sum | _: Average, Some(other)) if !other.isInstanceOf[NumericType] => Some(Reason.dataType(other))
      case (_: Min | _: Max, Some(BinaryType)) => reason("TYPE", "not on binary values")
      case _ => None
    }
  }
}
