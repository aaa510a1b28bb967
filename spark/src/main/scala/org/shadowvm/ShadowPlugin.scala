// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, SparkPlugin}

/** The one line that turns ShadowVM on: `spark.plugins=org.shadowvm.ShadowPlugin`. */
class ShadowPlugin extends SparkPlugin {
  override def driverPlugin(): DriverPlugin = new ShadowDriverPlugin

  /** Executors need nothing of their own: their tasks bring a node's address with them. */
  override def executorPlugin(): ExecutorPlugin = null
}
