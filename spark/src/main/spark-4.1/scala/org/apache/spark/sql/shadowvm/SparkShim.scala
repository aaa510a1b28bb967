// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

/** What has another name or shape in Spark 4.1 than in other versions. */
object SparkShim {
  type Session = org.apache.spark.sql.classic.SparkSession
}
