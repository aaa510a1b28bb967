// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.internal.Logging
import org.shadowvm.node.NodeClient
import org.shadowvm.settings.KnownSettings

/** Says once that queries want a GPU and do not get one, and why: they run on the CPU. */
private[shadowvm] final class DeviceLog extends Logging {
  private val said = ConcurrentHashMap.newKeySet[String]()

  def asked(mode: String, node: NodeClient): Unit =
    if (DeviceLog.wantsGpu(mode)) node.noGpu().filter(said.add).foreach { why =>
      logWarning(s"${KnownSettings.Mode.key} is $mode, but queries run on the CPU: $why")
    }
}

private object DeviceLog {
  private def wantsGpu(mode: String): Boolean = mode == "gpu" || mode == "mixed"
}
