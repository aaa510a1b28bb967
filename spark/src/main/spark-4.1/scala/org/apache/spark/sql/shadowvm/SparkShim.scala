// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.{classic, Dataset, SparkSession}
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}

/** What has another name or shape in Spark 4.1 than in other versions. */
object SparkShim {
  type Session = classic.SparkSession

  def sessionOf(session: SparkSession): Session = session.asInstanceOf[Session]

  def execution(query: Dataset[_]): QueryExecution = query.asInstanceOf[classic.Dataset[_]].queryExecution

  /** The class that adds our report to explain() and the SQL tab. */
  def explainProvider: Option[String] = Some(classOf[ShadowExplain].getName)

  /** The plan with our report on top, where no provider shows it. */
  def reported(plan: SparkPlan): SparkPlan = plan
}
