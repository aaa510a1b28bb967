// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.security.MessageDigest
import java.util.HexFormat

import org.shadowvm.proto.v1.Command
import org.shadowvm.translate.Translated

/** A subtree as a command. Two islands of the same command are the same. */
final class Island(translation: Translated) {
  val command: Command = translation.command
  val bytes: Array[Byte] = command.toByteArray

  /** Of the command's content, which includes sizes and times of its files: the same key gives the same rows. */
  val key: String =
    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, Island.KeyBytes)

  /** The Spark operators' ids, by action. */
  val operatorOf: Map[Int, Int] = translation.planOf.map { case (action, plan) => action -> plan.id }

  override def equals(other: Any): Boolean = other match {
    case that: Island => key == that.key
    case _ => false
  }
  override def hashCode(): Int = key.hashCode
  override def toString: String = key
}

private object Island {
  private val KeyBytes = 12
}
