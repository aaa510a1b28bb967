// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

/** Waits for what another thread or process does, with patience for busy machines. */
object Eventually {
  private val patienceMs = 240000L

  def eventually(what: String)(condition: => Boolean): Unit = {
    val end = System.currentTimeMillis + patienceMs
    while (!condition) {
      if (System.currentTimeMillis > end) throw new AssertionError(s"did not happen within $patienceMs ms: $what")
      Thread.sleep(10)
    }
  }
}
