// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.execution.ScalarSubquery

/**
 * What the subqueries of a plan have given, as Catalyst holds it. A command holds these values as constants, so it is
 * made twice: for the plan, when only their types are known, and to run, when Spark has run them.
 */
trait SubqueryValues {
  def of(subquery: ScalarSubquery): Any
}

object SubqueryValues {

  /** They have not run yet. A null has a type like any value, and nobody refuses a constant for its value. */
  object Unknown extends SubqueryValues {
    override def of(subquery: ScalarSubquery): Any = null
  }

  /** Of subqueries that have run; Spark may have put copies in their places, which have their ids. */
  final class Known(ran: Seq[ScalarSubquery]) extends SubqueryValues {
    private val byId = ran.map(subquery => subquery.exprId -> subquery).toMap
    override def of(subquery: ScalarSubquery): Any = byId(subquery.exprId).eval(null)
  }

  /** Sees which ones are asked for. */
  final class Recorder extends SubqueryValues {
    private val seen = mutable.LinkedHashMap.empty[ExprId, ScalarSubquery]
    def asked: Seq[ScalarSubquery] = seen.values.toSeq
    override def of(subquery: ScalarSubquery): Any = {
      seen.getOrElseUpdate(subquery.exprId, subquery)
      null
    }
  }
}
