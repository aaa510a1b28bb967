// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.io.ByteArrayInputStream
import java.nio.channels.Channels

import org.apache.arrow.vector.ipc.ReadChannel
import org.apache.arrow.vector.ipc.message.MessageSerializer
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.ArrowUtils

/** Spark's types of an answer that no plan of Spark's has foretold. */
private[shadowvm] object AnswerSchema {

  /** From an Arrow IPC message. */
  def parse(message: Array[Byte]): StructType = {
    val channel = new ReadChannel(Channels.newChannel(new ByteArrayInputStream(message)))
    ArrowUtils.fromArrowSchema(MessageSerializer.deserializeSchema(channel)).asNullable
  }
}
