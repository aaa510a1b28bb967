// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.shadowvm.proto.v1.{Execution, Mode}
import org.shadowvm.settings.ShadowSettings

/** How a node shall run a query, as the session's settings say it. */
private[shadowvm] object WireExecution {
  private val modes = Map(
    "auto" -> Mode.MODE_AUTO, "cpu" -> Mode.MODE_CPU, "gpu" -> Mode.MODE_GPU, "mixed" -> Mode.MODE_MIXED)

  def of(settings: ShadowSettings): Execution =
    Execution.newBuilder().setMode(modes(settings.mode)).setPartitions(settings.partitions.getOrElse(0)).build()
}
