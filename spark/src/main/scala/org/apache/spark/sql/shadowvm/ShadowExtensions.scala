// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/**
 * Our two hooks into Spark's planning. The first sees plans of adaptive execution, whole, before any stage or broadcast
 * has started, and again after each stage. The second sees the plans that adaptive execution leaves alone, and single
 * stages, on which the first has decided already.
 */
class ShadowExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectQueryStagePrepRule(session => OffloadRule(SparkShim.sessionOf(session), again = true))
    extensions.injectColumnar { session =>
      val rule = OffloadRule(SparkShim.sessionOf(session), again = false)
      new ColumnarRule { override def preColumnarTransitions: Rule[SparkPlan] = rule }
    }
  }
}

object ShadowExtensions {

  /** Adds our classes to those the user has asked for. Before the first session of the application is made. */
  def install(context: SparkContext): Unit = {
    add(context.conf, "spark.sql.extensions", classOf[ShadowExtensions].getName)
    SparkShim.explainProvider.foreach(add(context.conf, "spark.sql.extendedExplainProviders", _))
  }

  private def add(conf: SparkConf, key: String, ours: String): Unit = {
    val others = conf.get(key, "").split(',').map(_.trim).filter(_.nonEmpty).toSeq
    if (!others.contains(ours)) conf.set(key, (others :+ ours).mkString(","))
  }
}
