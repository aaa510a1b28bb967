// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

import java.nio.file.{Files, Path}
import java.nio.file.attribute.PosixFilePermissions

/**
 * The program `shadowvm` behind a gate: what is started while the gate is shut waits. A node that is killed meanwhile
 * stays away, however slow the test is and however fast a node starts.
 */
final class ProgramGate {
  private val folder = TestFolders.make()
  private val shut = folder.resolve("shut")
  private val arguments = "\"$@\""

  val program: Path = {
    val lines = Seq("#!/bin/sh", s"while [ -e '$shut' ]; do sleep 0.05; done", s"exec '${TestProgram.path}' $arguments")
    Files.setPosixFilePermissions(
      Files.writeString(folder.resolve("shadowvm"), lines.mkString("", "\n", "\n")),
      PosixFilePermissions.fromString("rwx------"))
  }

  def whileShut[T](body: => T): T = {
    Files.createFile(shut)
    try body
    finally Files.delete(shut)
  }
}
