// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GetStructField
import org.apache.spark.sql.execution.ScalarSubquery

import org.shadowvm.translate.Reason

/** Subqueries that are one value, or a field of one: Spark makes one subquery of several over the same rows. */
object Subqueries {

  val rules: Seq[(Class[_], Rule)] = Seq(
    on[ScalarSubquery]((node, translate) => translate.constant(translate.subqueries.of(node), node.dataType)),
    on[GetStructField]((node, translate) =>
      node.child match {
        case subquery: ScalarSubquery =>
          translate.constant(fieldOf(translate.subqueries.of(subquery), node), node.dataType)
        case other => Left(Reason.dataType(other.dataType))
      })
  )

  private def fieldOf(value: Any, field: GetStructField): Any = value match {
    case row: InternalRow if !row.isNullAt(field.ordinal) => row.get(field.ordinal, field.dataType)
    case _ => null
  }
}
