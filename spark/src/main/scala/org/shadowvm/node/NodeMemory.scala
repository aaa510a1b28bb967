// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.lang.management.ManagementFactory

import com.sun.management.OperatingSystemMXBean

/** The budget of a node that shares its machine with this JVM. */
object NodeMemory {
  private val least = 512L << 20

  def default: Long = ManagementFactory.getOperatingSystemMXBean match {
    // Of the container, where there is one.
    case system: OperatingSystemMXBean => beside(system.getTotalMemorySize, Runtime.getRuntime.maxMemory)
    case _ => least
  }

  /** Half of what the heap leaves: the other half is for the system's file cache and what else Spark starts. */
  private[node] def beside(machine: Long, heap: Long): Long = math.max(least, (machine - heap) / 2)
}
