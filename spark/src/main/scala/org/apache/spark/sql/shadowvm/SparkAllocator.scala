// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.arrow.memory.BufferAllocator
import org.apache.spark.sql.util.ArrowUtils

/** The door to Spark's own Arrow memory, which is closed to other packages. */
object SparkAllocator {

  /** Whoever closes it is told of what was not released. */
  def child(name: String): BufferAllocator = ArrowUtils.rootAllocator.newChildAllocator(name, 0, Long.MaxValue)
}
