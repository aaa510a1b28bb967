// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import java.util.Locale

/** Settings of Spark that change the rows of a scan or the types of its numbers in ways the node does not follow. */
object ResultSettings {

  /** The value, in lower case, that the node cannot follow, and what it does. */
  private final case class Obstacle(key: String, value: String, effect: String)

  private val session: Seq[Obstacle] = Seq(
    Obstacle("spark.sql.legacy.allowNegativeScaleOfDecimal", "true", "changes the types of decimals"),
    Obstacle("spark.sql.legacy.decimal.retainFractionDigitsOnTruncate", "true", "changes the types of decimals"),
    Obstacle("spark.sql.parquet.binaryAsString", "true", "reads binary columns as text"),
    Obstacle("spark.sql.parquet.int96AsTimestamp", "false", "reads INT96 as binary"),
    Obstacle("spark.sql.parquet.int96TimestampConversion", "true", "shifts timestamps by time zone"),
    Obstacle("spark.sql.legacy.parquet.nanosAsLong", "true", "reads timestamps as numbers"),
    Obstacle("spark.sql.parquet.fieldId.read.enabled", "true", "finds columns by number"),
    Obstacle("spark.sql.parquet.enableVectorizedReader", "false", "reads types that the node refuses"),
    Obstacle("spark.sql.parquet.datetimeRebaseModeInRead", "legacy", "moves dates to another calendar"),
    Obstacle("spark.sql.parquet.int96RebaseModeInRead", "legacy", "moves timestamps to another calendar"),
    // The names that these two had before.
    Obstacle("spark.sql.legacy.parquet.datetimeRebaseModeInRead", "legacy", "moves dates to another calendar"),
    Obstacle("spark.sql.legacy.parquet.int96RebaseModeInRead", "legacy", "moves timestamps to another calendar"),
    Obstacle("spark.sql.files.ignoreCorruptFiles", "true", "leaves out files that cannot be read"),
    Obstacle("spark.sql.files.ignoreMissingFiles", "true", "leaves out files that are gone")
  )

  private val reader: Seq[Obstacle] = Seq(
    Obstacle("datetimeRebaseMode", "legacy", "moves dates to another calendar"),
    Obstacle("int96RebaseMode", "legacy", "moves timestamps to another calendar"),
    Obstacle("ignoreCorruptFiles", "true", "leaves out files that cannot be read"),
    Obstacle("ignoreMissingFiles", "true", "leaves out files that are gone"),
    Obstacle("parquet.crypto.factory.class", "", "decrypts files")
  )

  def problems(valueOf: String => Option[String]): Seq[Reason] = met(session, valueOf)

  /** Of the options a reader was given; they go before the session's settings. */
  def readerProblems(options: Map[String, String]): Seq[Reason] =
    if (options.isEmpty) Nil
    else {
      val byLowerCase = options.map { case (key, value) => key.toLowerCase(Locale.ROOT) -> value }
      met(reader, key => byLowerCase.get(key.toLowerCase(Locale.ROOT)))
    }

  private def met(obstacles: Seq[Obstacle], valueOf: String => Option[String]): Seq[Reason] =
    for {
      obstacle <- obstacles
      value <- valueOf(obstacle.key)
      if obstacle.value.isEmpty || value.toLowerCase(Locale.ROOT) == obstacle.value
    } yield Reason.setting(obstacle.key, value, obstacle.effect)
}
