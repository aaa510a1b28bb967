// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.nio.file.Path

import org.shadowvm.{TestFolders, TestProgram}

/** A node of a test's own, as a process. */
final class TestNode(val socket: Path = TestFolders.make().resolve("run").resolve("node.sock")) extends AutoCloseable {
  val address: String = s"unix:$socket"
  private var process = start()

  def client: NodeClient = NodeClients.at(address)

  def kill(): Unit = process.kill()

  def restart(): Unit = process = start()

  override def close(): Unit = {
    NodeClients.close(address)
    process.stop(10000)
  }

  private def start(): NodeProcess = {
    val started = NodeProcess.start(NodeLaunch(TestProgram.path, socket, 1L << 30, Some(2)))
    started.awaitReady(30000)
    started
  }
}
