// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

import java.nio.file.{Files, Path}

/**
 * The program `shadowvm` behind a gate: what is started while the gate is shut waits. A node that is killed meanwhile
 * stays away, however slow the test is and however fast a node starts.
 */
final class ProgramGate {
  private val shut = TestFolders.make().resolve("shut")

  val program: Path =
    TestScripts.write(s"while [ -e '$shut' ]; do sleep 0.05; done", TestScripts.run(TestProgram.path))

  def whileShut[T](body: => T): T = {
    Files.createFile(shut)
    try body
    finally Files.delete(shut)
  }
}
