// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import java.time.{ZoneId, ZoneOffset}

import scala.util.Try

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.internal.SQLConf

import org.shadowvm.proto.{v1 => wire}

/** What translation needs to know of a session, read once. */
final class SessionFacts(
    conf: SQLConf,
    val strictFloat: Boolean,
    val operatorEnabled: String => Boolean,
    val expressionEnabled: String => Boolean,
    sparkVersion: String = SPARK_VERSION) {

  /** Spark 3.5.0 rounds quotients of decimals to 38 places, then to their scale; the node and later versions once. */
  val roundsQuotientsTwice: Boolean = sparkVersion.startsWith("3.5.0")

  val allowsPrecisionLoss: Boolean = conf.getConf(SQLConf.DECIMAL_OPERATIONS_ALLOW_PREC_LOSS)
  val timeZone: String = conf.sessionLocalTimeZone

  /** Settings under which Spark's scans give other rows than the node's. */
  lazy val scanProblems: Seq[Reason] = ResultSettings.problems(key => Option(conf.getConfString(key, null)))

  /** What a command says of its session. */
  lazy val wireSettings: wire.Settings = wire.Settings.newBuilder()
    .setAnsi(conf.ansiEnabled)
    .setTimeZone(if (SessionFacts.isUtc(timeZone)) "UTC" else timeZone)
    .setCaseSensitive(conf.caseSensitiveAnalysis)
    .setStrictFloat(strictFloat)
    .setForbidDecimalPrecisionLoss(!allowsPrecisionLoss)
    .build()

  def operatorKey(name: String): String = s"spark.shadowvm.operator.$name.enabled"
  def expressionKey(name: String): String = s"spark.shadowvm.expression.$name.enabled"
}

object SessionFacts {

  /** By any of its names: "Etc/UTC", "GMT", "+00:00". */
  def isUtc(zone: String): Boolean = zone == "UTC" || Try {
    val rules = ZoneId.of(zone, ZoneId.SHORT_IDS).getRules
    rules.isFixedOffset && rules.getOffset(java.time.Instant.EPOCH) == ZoneOffset.UTC
  }.getOrElse(false)
}
