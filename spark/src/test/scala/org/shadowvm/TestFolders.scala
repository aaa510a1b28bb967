// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

import java.nio.file.{Files, Path}
import java.util.Comparator

/** Folders with short names, for sockets, that are removed when the JVM ends. */
object TestFolders {
  def make(): Path = {
    val folder = Files.createTempDirectory(Path.of("/tmp"), "svm-test-")
    sys.addShutdownHook(remove(folder))
    folder
  }

  def remove(folder: Path): Unit = if (Files.exists(folder)) {
    val entries = Files.walk(folder).sorted(Comparator.reverseOrder[Path])
    try entries.forEach(Files.deleteIfExists(_))
    finally entries.close()
  }
}
