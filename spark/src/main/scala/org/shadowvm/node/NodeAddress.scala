// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.io.IOException
import java.nio.file.{Files, NoSuchFileException, Path}

/** Where a node listens: a Unix socket, written as a path, `unix:PATH` or `grpc+unix://PATH`. */
object NodeAddress {
  private val schemes = Seq("grpc+unix://", "unix://", "unix:")
  private val groupOrOtherWrite = Integer.parseInt("022", 8)

  /** The socket's path, or why the address names none. */
  def socket(address: String): Either[String, Path] = {
    val path = schemes.find(scheme => address.startsWith(scheme)).fold(address)(address.stripPrefix(_))
    if (path.forall(_ == '/')) Left(s"'$address' names no socket: give a socket's path")
    else if (path.contains("://") || path.matches("[^/]*:[0-9]+"))
      Left(s"'$address' is no Unix socket: a node does not listen on the network, give a path")
    else Right(Path.of(path).toAbsolutePath.normalize)
  }

  /**
   * Why this user must not talk to what listens there. Whoever owns the folder can put another socket in its place, so
   * both must be ours; [[NodeAway]] if there is none.
   */
  def refusal(socket: Path, user: Int = currentUser): Option[String] = try {
    val folder = socket.getParent
    Seq(folder, socket).collectFirst {
      case path if owner(path) != user => s"$path belongs to another user (id ${owner(path)}, not $user)"
    }.orElse {
      val mode = Files.getAttribute(folder, "unix:mode").asInstanceOf[Int]
      if ((mode & groupOrOtherWrite) != 0) Some(s"other users may write to $folder: chmod 700 it") else None
    }
  } catch {
    case missing: NoSuchFileException => throw new NodeAway(s"there is no node at $socket: no such file", missing)
    // Such as a folder that only its owner may look into.
    case unreadable: IOException => Some(s"it cannot be looked at ($unreadable)")
  }

  private[node] def currentUser: Int = owner(Path.of("/proc/self"))

  private def owner(path: Path): Int = Files.getAttribute(path, "unix:uid").asInstanceOf[Int]
}
