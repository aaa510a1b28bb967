// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.answer

import java.nio.MappedByteBuffer

import org.apache.arrow.memory.ForeignAllocation
import org.apache.arrow.memory.util.MemoryUtil

/** A mapping as Arrow's memory. Unmapped when Arrow lets go of it, which Java would do only when it collects garbage. */
private[answer] final class MappedMemory(mapped: MappedByteBuffer)
    extends ForeignAllocation(mapped.capacity, MemoryUtil.getByteBufferAddress(mapped)) {

  override protected def release0(): Unit = MappedMemory.unmap(mapped)
}

private object MappedMemory {
  // The one public way to unmap before Java 22.
  private val unsafe: sun.misc.Unsafe = {
    val field = classOf[sun.misc.Unsafe].getDeclaredField("theUnsafe")
    field.setAccessible(true)
    field.get(null).asInstanceOf[sun.misc.Unsafe]
  }

  def unmap(buffer: MappedByteBuffer): Unit = unsafe.invokeCleaner(buffer)
}
