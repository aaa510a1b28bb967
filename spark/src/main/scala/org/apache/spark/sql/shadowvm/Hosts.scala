// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.SparkContext
import org.apache.spark.util.Utils

private[shadowvm] object Hosts {

  /** All executors run where the driver runs, so that one node serves all of them. */
  def one(context: SparkContext): Boolean = context.isLocal || {
    val executors = context.statusTracker.getExecutorInfos.map(_.host())
    val driver = context.conf.get("spark.driver.host", Utils.localHostName())
    executors.forall(host => host == driver || host == Utils.localHostName())
  }
}
