// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.net.{StandardProtocolFamily, UnixDomainSocketAddress}
import java.nio.channels.ServerSocketChannel
import java.nio.file.{Files, Path}
import java.nio.file.attribute.PosixFilePermissions

import org.scalatest.funsuite.AnyFunSuite
import org.shadowvm.TestFolders

class NodeAddressSuite extends AnyFunSuite {
  private val folder = TestFolders.make()
  private val nobody = 65534

  private def listening(name: String): Path = {
    val socket = folder.resolve(name)
    ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket))
    socket
  }

  test("a socket is named by its path, with or without a scheme") {
    val path = Path.of("/run/x/node.sock")
    for (address <- Seq("/run/x/node.sock", "unix:/run/x/node.sock", "grpc+unix:///run/x/node.sock", "/run//x/node.sock"))
      assert(NodeAddress.socket(address) == Right(path), address)
  }

  test("a host and port is refused with words") {
    for (address <- Seq("localhost:8815", "grpc://localhost:8815", "", "unix:/"))
      assert(NodeAddress.socket(address).left.exists(_.contains("give a")), address)
    assert(intercept[NodeFailure](NodeClients.at("localhost:8815")).getMessage.contains("does not listen on the network"))
  }

  test("our own socket in our own folder is fine, that of another user is not") {
    val socket = listening("own.sock")
    assert(NodeAddress.refusal(socket).isEmpty)
    assert(NodeAddress.refusal(socket, user = nobody).exists(_.contains(s"$folder belongs to another user")))
  }

  test("a folder that others may write to is refused") {
    val open = Files.createDirectory(folder.resolve("open"))
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"))
    val socket = listening("open/node.sock")
    assert(NodeAddress.refusal(socket).exists(_.contains("other users may write to")))
    val refused = intercept[NodeFailure](NodeClients.at(s"unix:$socket").status())
    assert(refused.code == NodeFailure.BadAddress && refused.getMessage.startsWith("not connecting to a node"))
  }

  test("a socket that cannot be looked at is refused") {
    val file = Files.createFile(folder.resolve("file"))
    val refused = intercept[NodeFailure](NodeClients.at(s"unix:$file/run/node.sock").status())
    assert(refused.code == NodeFailure.BadAddress && refused.getMessage.contains("cannot be looked at"), refused)
  }

  test("a socket that is not there, and one that nobody listens on, are a node that is away") {
    assert(intercept[NodeAway](NodeClients.at(s"$folder/none.sock").status()).getMessage.contains("there is no node"))
    val socket = folder.resolve("deaf.sock")
    ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket)).close()
    assert(intercept[NodeAway](NodeClients.at(s"unix:$socket").status()).getMessage.contains("lost the node"))
  }
}
