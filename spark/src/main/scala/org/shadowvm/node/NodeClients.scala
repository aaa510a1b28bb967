// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.SparkEnv
import org.shadowvm.proto.v1.ErrorClass
import org.shadowvm.settings.{KnownSettings, ShadowSettings}

/**
 * The clients of this JVM, one per address: tasks arrive with an address and share its connection and its session.
 * A client that nobody closes goes with the JVM; its threads keep nothing alive.
 */
object NodeClients {
  private val clients = new ConcurrentHashMap[String, NodeClient]()

  /** Does not connect yet. [[NodeFailure]] if the address is none. */
  def at(address: String): NodeClient = clients.computeIfAbsent(address, create(_))

  /** Closes the client of an address, if there is one; the next [[at]] makes another. */
  def close(address: String): Unit = Option(clients.remove(address)).foreach(_.close())

  /** As the application says of which this JVM is a part. */
  private def timeoutMs: Long =
    Option(SparkEnv.get).fold(KnownSettings.NodeTimeout.default)(env => ShadowSettings.of(env.conf).nodeTimeoutMs)

  private def create(address: String): NodeClient = NodeAddress.socket(address) match {
    case Right(socket) => new FlightNodeClient(address, socket, timeoutMs)
    case Left(complaint) => throw new NodeFailure(NodeFailure.BadAddress, ErrorClass.ERROR_CLASS_USER, complaint)
  }
}
