// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.vrdd

import java.net.URI
import java.nio.file.Paths

/** Paths as the node sees them: it runs elsewhere than the driver. */
private[vrdd] object LocalPath {
  private val Scheme = "^([A-Za-z][A-Za-z0-9+.-]*):/.*".r

  def of(path: String): String = path match {
    case Scheme("file") => URI.create(path).getPath
    case Scheme(other) => throw new IllegalArgumentException(s"$path: files of $other: are not on this machine")
    case _ => Paths.get(path).toAbsolutePath.toString
  }
}
