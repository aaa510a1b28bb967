// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.io.InputStream

import org.shadowvm.proto.v1._

/**
 * The calls of a node, from any thread. There is one client per JVM and address ([[NodeClients]]), and it holds one
 * session, which it keeps alive. Every call ends: with an answer, a [[NodeFailure]] or a [[NodeAway]].
 */
trait NodeClient extends AutoCloseable {
  def address: String

  def validate(command: Array[Byte]): ValidateResponse

  /** Why the node has no GPU; none if it has one. */
  def noGpu(): Option[String]

  /** Plans a command under `queryId`; the same id with the same command again changes nothing. */
  def register(
      queryId: String,
      command: Array[Byte],
      execution: Execution = Execution.getDefaultInstance): RegisterResponse

  /** The Arrow schema of the answer, as an IPC message. Registers the query as well. */
  def answerSchema(
      queryId: String,
      command: Array[Byte],
      execution: Execution = Execution.getDefaultInstance): Array[Byte]

  /**
   * Runs a pipeline and waits for it, as long as it takes. Asks `cancelled` every 10 ms or so; once that is true the
   * query is cancelled in the node and [[NodeCancelled]] is thrown.
   */
  def run(request: RunPipelineRequest, cancelled: () => Boolean): RunPipelineResponse

  /** The answer as one Arrow IPC stream. Closing the stream early cancels the fetch. */
  def fetch(queryId: String, cancelled: () => Boolean): InputStream

  def cancel(queryId: String): Unit

  def status(): StatusResponse

  /** Forgets resident tables: the next query reads files again. */
  def dropTables(): Unit

  /** Forgets compiled kernels: the next query compiles again. */
  def dropKernels(): Unit
}
