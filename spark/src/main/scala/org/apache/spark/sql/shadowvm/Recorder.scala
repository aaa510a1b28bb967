// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.io.IOException
import java.nio.file.{Files, Path, Paths, StandardCopyOption}

import org.apache.spark.internal.Logging

/** Writes commands as files that `shadowvm replay` runs: protobuf's binary form, one file per command. */
private[shadowvm] object Recorder extends Logging {
  def record(folder: String, island: Island): Unit = {
    val file = Paths.get(folder).resolve(s"${island.key}.pb")
    try if (!Files.exists(file)) write(file, island.bytes)
    catch {
      case error: IOException => logWarning(s"cannot record a command as $file", error)
    }
  }

  /** Whole or not at all. */
  private def write(file: Path, bytes: Array[Byte]): Unit = {
    Files.createDirectories(file.getParent)
    val pending = Files.createTempFile(file.getParent, "pending", ".tmp")
    Files.write(pending, bytes)
    Files.move(pending, file, StandardCopyOption.ATOMIC_MOVE)
  }
}
