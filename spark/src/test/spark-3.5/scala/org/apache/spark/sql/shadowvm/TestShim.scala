// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.sql.{DataFrame, Row}

/** What has another name or shape in Spark 3.5 than in other versions. */
object TestShim {

  /** What show() prints. */
  def shown(query: DataFrame, numRows: Int): String = query.showString(numRows)

  /** The rows as toPandas() gets them. */
  def arrowBatches(query: DataFrame): Array[Array[Byte]] = query.toArrowBatchRdd.collect()
}
