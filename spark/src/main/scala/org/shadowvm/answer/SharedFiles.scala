// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.answer

import java.io.IOException
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path, StandardOpenOption}

import scala.collection.mutable.ArrayBuffer
import scala.util.Try

import org.apache.arrow.memory.{ArrowBuf, BufferAllocator}
import org.shadowvm.node.NodeFailure
import org.shadowvm.proto.v1.{ErrorClass, SharedFile}

/** Files in memory that a node has left for us. */
private[answer] object SharedFiles {

  /**
   * Maps every file and removes it: the memory lives on until the buffers are closed, and whatever happens to this
   * process, nothing is left behind. All or nothing.
   */
  def take(files: Seq[SharedFile], allocator: BufferAllocator): Seq[ArrowBuf] = {
    val taken = ArrayBuffer.empty[ArrowBuf]
    try {
      files.foreach(file => taken += map(file, allocator))
      taken.toSeq
    } catch {
      case failed: IOException =>
        taken.foreach(_.close())
        throw new NodeFailure(NodeFailure.NoCode, ErrorClass.ERROR_CLASS_RETRYABLE,
          s"cannot read the answer from shared memory: $failed", failed)
    } finally files.foreach(file => Try(Files.deleteIfExists(Path.of(file.getPath))))
  }

  private def map(file: SharedFile, allocator: BufferAllocator): ArrowBuf = {
    val channel = FileChannel.open(Path.of(file.getPath), StandardOpenOption.READ)
    try {
      // Beyond the file's end a mapping would end the process, not the read.
      if (channel.size < file.getBytes) throw new IOException(s"${file.getPath} has ${channel.size} bytes of ${file.getBytes}")
      val mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, file.getBytes)
      allocator.wrapForeignAllocation(new MappedMemory(mapped))
    } finally channel.close()
  }
}
