// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import scala.collection.mutable

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlanInfo
import org.apache.spark.sql.execution.ui.{SparkListenerSQLAdaptiveExecutionUpdate, SparkListenerSQLExecutionStart}
import org.shadowvm.Eventually.eventually
import org.shadowvm.ProgramGate

/** What the SQL tab of Spark's UI is told of a query: its plan as it is drawn, and the text below it. */
class SqlTabSuite extends ShadowSuite {
  private val gate = new ProgramGate

  override protected def settings: Map[String, String] = Map("spark.shadowvm.node.path" -> gate.program.toString)

  override def beforeEach(): Unit = {
    super.beforeEach()
    eventually("the node is there")(ShadowRuntime.of(spark.sparkContext).get.nodes.client().isRight)
  }

  /** All words about the plans that were drawn while the query ran. */
  private def drawn(query: => DataFrame): String = {
    val words = mutable.ArrayBuffer.empty[String]
    def add(text: String, plan: SparkPlanInfo): Unit = words.synchronized(words ++= text +: wordsOf(plan))
    val listener = new SparkListener {
      override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
        case start: SparkListenerSQLExecutionStart => add(start.physicalPlanDescription, start.sparkPlanInfo)
        case update: SparkListenerSQLAdaptiveExecutionUpdate =>
          add(update.physicalPlanDescription, update.sparkPlanInfo)
        case _ =>
      }
    }
    spark.sparkContext.addSparkListener(listener)
    try {
      query.collect()
      spark.sparkContext.listenerBus.waitUntilEmpty()
    } finally spark.sparkContext.removeSparkListener(listener)
    words.synchronized(words.mkString("\n"))
  }

  private def wordsOf(plan: SparkPlanInfo): Seq[String] = plan.simpleString +: plan.children.flatMap(wordsOf)

  test("operators that stay with Spark have their reasons") {
    spark.udf.register("plain", (text: String) => text.trim)
    val text = drawn(spark.sql("SELECT plain(c_region) FROM (SELECT DISTINCT c_region FROM customers)"))
    assert(text.contains("ShadowHashAggregate") && text.contains("[USER_FUNCTION]"), text)
    assert(text.contains("accelerated"), text)
  }

  test("a query that fell back says why") {
    val query = spark.sql("SELECT s_product, sum(s_price) FROM sales GROUP BY s_product")
    SparkShim.execution(query).executedPlan
    val text = gate.whileShut {
      NodeSignals.kill(node)
      drawn(query)
    }
    assert(text.contains("[FELL_BACK]") && text.contains("HashAggregate(keys"), text)
  }
}
