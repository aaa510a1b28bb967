// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.nio.file.{Files, Path}

import scala.util.Random

/** Where the socket of a started node lies: a folder that the node makes for it, and that goes when it goes. */
private[node] final class SocketFolder(parent: Path) {
  private val folder = parent.resolve(f"shadowvm-${ProcessHandle.current.pid}-${Random.nextInt() & 0xffffff}%06x")

  val socket: Path = folder.resolve("node.sock")

  /** What a node that was killed could not remove itself. Nobody may listen there any longer. */
  def remove(): Unit = if (Files.isDirectory(folder)) {
    val entries = Files.list(folder)
    try entries.forEach(Files.deleteIfExists(_))
    finally entries.close()
    Files.deleteIfExists(folder)
  }
}

private[node] object SocketFolder {
  // sockaddr_un holds 107 bytes; ours need about 40 of them.
  private val longestParent = 60

  /** Below the user's own folder for such things, else below the one for temporary files. */
  def make(): SocketFolder = {
    val candidates = sys.env.get("XDG_RUNTIME_DIR").toSeq ++ Option(System.getProperty("java.io.tmpdir")).toSeq
    val parent = candidates.filter(_.startsWith("/")).map(Path.of(_))
      .find(path => path.toString.length <= longestParent && Files.isDirectory(path) && Files.isWritable(path))
    new SocketFolder(parent.getOrElse(Path.of("/tmp")))
  }
}
