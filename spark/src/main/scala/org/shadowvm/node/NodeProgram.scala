// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.io.File
import java.nio.file.{Files, Path}

import scala.util.Try

import org.shadowvm.settings.KnownSettings

/** Finds the program that is a node. */
object NodeProgram {
  private val name = "shadowvm"

  /** The one that the user has named, else one beside the plugin's jar, else one on PATH; or why there is none. */
  def find(named: Option[String]): Either[String, Path] = find(named, home, sys.env.getOrElse("PATH", ""))

  private[node] def find(named: Option[String], home: Option[Path], path: String): Either[String, Path] =
    named match {
      case Some(text) =>
        val program = Path.of(text)
        Either.cond(isProgram(program), program, s"${KnownSettings.NodePath.key} is $text, which is no program")
      case None =>
        (home.toSeq.flatMap(neighbours) ++ onPath(path)).find(isProgram).toRight(
          s"there is no program '$name' beside the plugin's jar${home.fold("")(folder => s" ($folder)")} and none on " +
            s"PATH: set ${KnownSettings.NodePath.key}")
    }

  /** As `make dist` lays things out, and a program put next to the jar. */
  private def neighbours(home: Path): Seq[Path] =
    Seq(home.resolveSibling("bin").resolve(name), home.resolve("bin").resolve(name), home.resolve(name))

  private def onPath(path: String): Seq[Path] =
    path.split(File.pathSeparatorChar).toSeq.filter(_.nonEmpty).map(Path.of(_).resolve(name))

  private def isProgram(path: Path): Boolean = Files.isRegularFile(path) && Files.isExecutable(path)

  /** The folder of our jar, if we are in one. */
  private def home: Option[Path] =
    Try(Path.of(getClass.getProtectionDomain.getCodeSource.getLocation.toURI)).toOption
      .filter(Files.isRegularFile(_)).map(_.toAbsolutePath.getParent)
}
