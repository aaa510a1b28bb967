// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

import org.apache.spark.sql.Dataset
import org.apache.spark.sql.shadowvm.Reports
import org.shadowvm.translate.Reason

/** One operator of a query and where it runs; the reasons say why it is not the node. */
final case class OperatorReport(name: String, depth: Int, inNode: Boolean, reasons: Seq[Reason]) {
  def text: String = {
    val why = reasons.map(_.withCode).mkString("; ")
    val where = if (inNode) "node" else if (why.isEmpty) "Spark" else s"Spark: $why"
    s"${"  " * depth}$name -> $where"
  }
}

/**
 * Where the operators of a query run and why. From Scala `ShadowReport.of(df)`, from Python
 * `spark._jvm.org.shadowvm.ShadowReport.of(df._jdf)`. Of a query that was run it tells what was done, of another what
 * is planned; a plan that adaptive execution has yet to finish may still change.
 *
 * @param ran
 *   lines about what has run in the node: on which processors each pipeline ran, why, and the predicted and the real
 *   time
 */
final case class ShadowReport(operators: Seq[OperatorReport], ran: Seq[String]) {
  def accelerated: Int = operators.count(_.inNode)

  def total: Int = operators.size

  /** All of the query runs in the node. */
  def whole: Boolean = total > 0 && accelerated == total

  def reasons: Seq[Reason] = operators.flatMap(_.reasons).distinct

  def summary: String = s"accelerated $accelerated of $total operators"

  /** A line per operator. */
  def text: String = operators.map(_.text).mkString("\n")

  /** A line per operator that stays with Spark. */
  def fallbackText: String = operators.filterNot(_.inNode).map(_.text.trim).mkString("\n")

  /** For programs in other languages. */
  def reasonCodes: Array[String] = reasons.map(_.code).toArray

  override def toString: String = (Seq(summary, text) ++ ran).mkString("\n")
}

object ShadowReport {
  def of(query: Dataset[_]): ShadowReport = Reports.of(query)
}
