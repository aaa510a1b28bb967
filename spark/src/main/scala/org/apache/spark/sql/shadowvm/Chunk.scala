// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream}

import org.apache.spark.SparkEnv
import org.apache.spark.io.CompressionCodec

/**
 * Bytes of rows. Many of them are compressed, as Spark does it with all that it collects: spark.driver.maxResultSize
 * counts what travels.
 *
 * @param unpackedBytes
 *   0 where the bytes are as they were
 */
private[shadowvm] final case class Chunk(bytes: Array[Byte], unpackedBytes: Int) {
  def unpacked: Array[Byte] = if (unpackedBytes == 0) bytes else {
    val rows = new Array[Byte](unpackedBytes)
    val stream = new DataInputStream(Chunk.codec.compressedInputStream(new ByteArrayInputStream(bytes)))
    try stream.readFully(rows)
    finally stream.close()
    rows
  }
}

private[shadowvm] object Chunk {

  /** Smaller ones take less time than the codec to begin. */
  private val LeastPackedBytes = 1 << 20

  def of(bytes: Array[Byte]): Chunk = if (bytes.length < LeastPackedBytes) Chunk(bytes, 0) else {
    val packed = new ByteArrayOutputStream(bytes.length / 4)
    val stream = codec.compressedOutputStream(packed)
    try stream.write(bytes)
    finally stream.close()
    Chunk(packed.toByteArray, bytes.length)
  }

  /** Of the application, so that both ends have the same. */
  private def codec: CompressionCodec = CompressionCodec.createCodec(SparkEnv.get.conf)
}
