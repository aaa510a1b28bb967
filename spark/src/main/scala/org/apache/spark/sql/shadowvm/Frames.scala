// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.StructType
import org.shadowvm.node.NodeFailure
import org.shadowvm.proto.v1.{Command, ErrorClass, Settings}
import org.shadowvm.settings.ShadowSettings
import org.shadowvm.translate.{SessionFacts, Translated}

/**
 * The door to vRDDs for queries written by hand, outside of Spark's packages. No plan of Spark's stands behind them:
 * whatever the node fails at is the caller's.
 */
object Frames {
  private val lastNumber = new AtomicLong

  /** The session's settings that change results. */
  def settings(session: SparkSession): Settings = {
    val ours = settingsOf(session)
    new SessionFacts(conf(session), ours.strictFloat, ours.operatorEnabled, ours.expressionEnabled).wireSettings
  }

  def collect(session: SparkSession, command: Command): Array[Row] = surfacing(session) {
    val (schema, doors) = open(session, command)
    val rows = doors.collect(ReapAll)
    SparkShim.sessionOf(session).withActive {
      val toRow = CatalystTypeConverters.createToScalaConverter(schema)
      rows.map(toRow(_).asInstanceOf[Row])
    }
  }

  def toDF(session: SparkSession, command: Command): DataFrame = surfacing(session) {
    val (schema, doors) = open(session, command)
    SparkShim.sessionOf(session).internalCreateDataFrame(doors.rdd(), schema)
  }

  private def open(session: SparkSession, command: Command): (StructType, QueryDoors) = {
    val context = session.sparkContext
    if (!Hosts.one(context)) {
      throw new NodeFailure(NodeFailure.NoCode, ErrorClass.ERROR_CLASS_USER, Reasons.SeveralHosts.text)
    }
    val island = new Island(Translated(command, Map.empty))
    val id = s"${context.applicationId}-frame${lastNumber.incrementAndGet()}-${island.key}"
    val query = QueryDoors.query(context, settingsOf(session), island, id)
    val schema = query.answerSchema
    val output = DataTypeUtils.toAttributes(schema)
    (schema, new QueryDoors(context, settingsOf(session), query, output, (_, _, _) => ()))
  }

  /** The node's own words, without the job that they came through. */
  private def surfacing[T](session: SparkSession)(body: => T): T =
    try body
    catch {
      case error: Throwable if NodeFailures.in(error).isDefined =>
        val failure = NodeFailures.in(error).get
        ShadowRuntime.noticeIfLost(session.sparkContext, failure)
        throw failure
    }

  private def settingsOf(session: SparkSession) = ShadowSettings.of(conf(session))

  private def conf(session: SparkSession) = SparkShim.sessionOf(session).sessionState.conf
}
