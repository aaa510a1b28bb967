// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.Dataset
import org.shadowvm.ShadowReport

/** The door to reports for those outside of Spark's packages. */
object Reports {
  def of(query: Dataset[_]): ShadowReport = PlanReport.of(SparkShim.execution(query).executedPlan)
}
