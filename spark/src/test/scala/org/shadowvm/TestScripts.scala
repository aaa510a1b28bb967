// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

import java.nio.file.{Files, Path}
import java.nio.file.attribute.PosixFilePermissions

/** Scripts in the place of the program `shadowvm`. */
object TestScripts {
  def write(lines: String*): Path = {
    val text = ("#!/bin/sh" +: lines).mkString("", "\n", "\n")
    Files.setPosixFilePermissions(
      Files.writeString(TestFolders.make().resolve("shadowvm"), text),
      PosixFilePermissions.fromString("rwx------"))
  }

  /** The line that becomes the program, with the script's arguments and more options. */
  def run(program: Path, options: String*): String = (Seq("exec", s"'$program'", "\"$@\"") ++ options).mkString(" ")
}
