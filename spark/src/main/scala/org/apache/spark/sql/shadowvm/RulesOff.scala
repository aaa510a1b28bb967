// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.SparkContext

/**
 * Switches our rules off while a query is planned anew for Spark. A local property rather than a thread's variable,
 * because Spark carries local properties along to the threads that it plans and runs with.
 */
private[shadowvm] object RulesOff {
  private val Property = "shadowvm.rules.off"

  def in(context: SparkContext): Boolean = context.getLocalProperty(Property) != null

  def during[T](context: SparkContext)(body: => T): T = {
    val before = context.getLocalProperty(Property)
    context.setLocalProperty(Property, "true")
    try body
    finally context.setLocalProperty(Property, before)
  }
}
