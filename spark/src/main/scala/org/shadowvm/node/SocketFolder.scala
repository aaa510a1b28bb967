// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.util.{Random, Try}

/**
 * Where the socket of a started node lies. The folder is one per user, made by the first node (0700) and removed by
 * the last application; a socket of its own in it is removed by the node. So an application that is killed leaves
 * nothing either, but for an empty folder that the next one uses.
 */
private[node] final class SocketFolder(parent: Path) {
  private val folder = parent.resolve(s"shadowvm-spark-${NodeAddress.currentUser}")
  private val name = f"${ProcessHandle.current.pid}-${Random.nextInt() & 0xffffff}%06x"

  val socket: Path = folder.resolve(s"$name.sock")

  /** What a node that was killed could not remove itself. Nobody may listen there any longer. */
  def remove(): Unit = {
    Seq(socket, folder.resolve(s"$name.sock.lock")).foreach(file => Try(Files.deleteIfExists(file)))
    try Files.deleteIfExists(folder)
    catch { case _: IOException => } // others live in it
  }
}

private[node] object SocketFolder {
  // sockaddr_un holds 107 bytes; ours need about 45 of them.
  private val longestParent = 60

  /** Below the user's own folder for such things, else below the one for temporary files. */
  def make(): SocketFolder = {
    val candidates = sys.env.get("XDG_RUNTIME_DIR").toSeq ++ Option(System.getProperty("java.io.tmpdir")).toSeq
    val parent = candidates.filter(_.startsWith("/")).map(Path.of(_))
      .find(path => path.toString.length <= longestParent && Files.isDirectory(path) && Files.isWritable(path))
    new SocketFolder(parent.getOrElse(Path.of("/tmp")))
  }
}
