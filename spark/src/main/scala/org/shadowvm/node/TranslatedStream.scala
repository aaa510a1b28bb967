// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.io.{FilterInputStream, InputStream}

/** A stream from a node whose reads fail with our errors. */
private[node] final class TranslatedStream(address: String, stream: InputStream) extends FilterInputStream(stream) {
  override def read(): Int = NodeErrors.translated(address)(stream.read())

  override def read(target: Array[Byte], offset: Int, length: Int): Int =
    NodeErrors.translated(address)(stream.read(target, offset, length))
}
