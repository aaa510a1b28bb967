// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.{DateType, TimestampNTZType, TimestampType}

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{Reason, SessionFacts}

/** Parts of dates. Those of timestamps come as casts to a date in a time zone. */
object DateParts {

  val rules: Seq[(Class[_], Rule)] = Seq(
    on[Year](part(_, wire.Operator.OPERATOR_YEAR, _)),
    on[Month](part(_, wire.Operator.OPERATOR_MONTH, _)),
    on[DayOfMonth](part(_, wire.Operator.OPERATOR_DAY, _))
  )

  private def part(node: UnaryExpression, operator: wire.Operator, translate: ExpressionTranslator): Translation =
    node.child match {
      case Cast(time, DateType, _, _) if time.dataType == TimestampNTZType => translate.call(operator, time)
      case Cast(time, DateType, zone, _) if time.dataType == TimestampType =>
        if (zone.forall(SessionFacts.isUtc) && SessionFacts.isUtc(translate.session.timeZone)) {
          translate.call(operator, time)
        } else Left(Reason("TIME_ZONE", s"${node.prettyName} of a timestamp in another time zone than UTC"))
      case date if date.dataType == DateType => translate.call(operator, date)
      case other => Left(Reason.use(node, s"not on ${other.dataType.sql}"))
    }
}
