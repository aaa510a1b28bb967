// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.{Dataset, SparkSession}
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}

/** What has another name or shape in Spark 3.5 than in other versions. */
object SparkShim {
  type Session = SparkSession

  def sessionOf(session: SparkSession): Session = session

  def execution(query: Dataset[_]): QueryExecution = query.queryExecution

  /** Spark 3.5 knows no such thing: the report is a line of the plan. */
  def explainProvider: Option[String] = None

  def reported(plan: SparkPlan): SparkPlan = ShadowReportExec.on(plan)
}
