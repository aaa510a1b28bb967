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

  /**
   * The same with a GPU, the emulated one. However slow its kernels are on a busy machine, none of them hangs, and in
   * mode mixed it gets its share.
   */
  lazy val withGpu: Path =
    TestScripts.write(TestScripts.run(path, "--gpu", "emulated", "--gpu-limit", "3600", "--policy", "static:40"))

  /** Small tables of the Star Schema Benchmark, made once for all suites of a run. */
  lazy val ssb: Path = {
    val folder = TestFolders.make()
    run("gen", "ssb", "--sf", "0.01", "--out", folder.toString)
    folder
  }

  /** Small tables in the shape of TPC-H's, made once for all suites of a run. */
  lazy val tpch: Path = {
    val folder = TestFolders.make()
    runProgram(generator, "parquet", "-s", "0.01", "--output-dir", folder.toString)
    folder
  }

  /** Of the Python environment that dev/setup makes, in the folder above this module. */
  private def generator: Path = {
    val candidates = Seq(Path.of(".."), Path.of(".")).map(_.resolve(".venv/bin/tpchgen-cli").toAbsolutePath.normalize)
    candidates.find(Files.isExecutable(_)).getOrElse(sys.error(s"${candidates.head} is missing: run dev/setup"))
  }

  private def run(arguments: String*): Unit = runProgram(path, arguments: _*)

  private def runProgram(program: Path, arguments: String*): Unit = {
    val process = new ProcessBuilder((program.toString +: arguments).asJava)
      .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
    require(
      process.waitFor(60, TimeUnit.SECONDS) && process.exitValue == 0,
      s"$program ${arguments.mkString(" ")} failed")
  }
}
