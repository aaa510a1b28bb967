// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.execution.SparkPlan

/** Spark 3.5 draws a plan before it runs, and not again: what ran instead is drawn by our own update. */
trait DrawsFallback extends SparkPlan {
  def inSpark: Option[SparkPlan]
}
