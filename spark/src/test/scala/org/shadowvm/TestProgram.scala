// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import scala.collection.JavaConverters._

/** The program `shadowvm` that tests start, and data made with it. */
object TestProgram {
  lazy val path: Path = {
    val program = Path.of(System.getProperty("shadowvm.program")).toAbsolutePath.normalize
    require(Files.isExecutable(program), s"$program is missing: build it, or name another by -Dshadowvm.program=PATH")
    program
  }

  /** Small tables of the Star Schema Benchmark, made once for all suites of a run. */
  lazy val ssb: Path = {
    val folder = TestFolders.make()
    run("gen", "ssb", "--sf", "0.01", "--out", folder.toString)
    folder
  }

  private def run(arguments: String*): Unit = {
    val process = new ProcessBuilder((path.toString +: arguments).asJava)
      .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
    require(process.waitFor(60, TimeUnit.SECONDS) && process.exitValue == 0, s"$path ${arguments.mkString(" ")} failed")
  }
}
