// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import scala.collection.JavaConverters._

/** The files with SQL that tests read: features of this module, and the benchmarks' queries. */
object SqlResources {

  /** Those of a folder, by name. */
  def files(folder: String): Seq[Path] = {
    val list = Files.list(Path.of(getClass.getResource(s"/sql/$folder").toURI))
    try list.iterator().asScala.toList.sorted
    finally list.close()
  }

  def text(file: Path): String = new String(Files.readAllBytes(file), UTF_8)
}
