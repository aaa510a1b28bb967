// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.TaskContext
import org.apache.spark.sql.types.StructType
import org.shadowvm.node.{NodeClient, NodeClients, NodeFailure}
import org.shadowvm.proto.v1.{Execution, RegisterResponse, RunPipelineRequest, RunPipelineResponse}

/**
 * A query of a node, as tasks carry it: all that is needed to run it, also where the node has forgotten it because it
 * was started anew or the answer was fetched before.
 */
final case class ShadowQuery(address: String, id: String, command: Array[Byte], execution: Execution) {
  def client: NodeClient = NodeClients.at(address)

  def register(): RegisterResponse = client.register(id, command, execution)

  def answerSchema: StructType = AnswerSchema.parse(client.answerSchema(id, command, execution))

  /**
   * Waits until the pipeline is done.
   *
   * @param takeAnswer
   *   a large answer of the last pipeline may come in files, which are the caller's from then on; otherwise it stays
   *   in the node
   */
  def run(pipeline: Int, caller: Caller, takeAnswer: Boolean): RunPipelineResponse = {
    val request = RunPipelineRequest
      .newBuilder()
      .setQueryId(id)
      .setPipeline(pipeline)
      .setAttempt(caller.attempt)
      .setAcceptSharedMemory(takeAnswer)
      .build()
    try client.run(request, caller.cancelled)
    catch {
      case failure: NodeFailure if failure.code == NodeFailure.UnknownQuery =>
        register()
        client.run(request, caller.cancelled)
    }
  }
}

/** On whose behalf a node is asked: its attempt, and whether it still wants the answer. */
final case class Caller(attempt: Int, cancelled: () => Boolean)

object Caller {

  /** A task waits in short steps, since Spark only marks the tasks that it wants to end. */
  def task(context: TaskContext): Caller = Caller(context.attemptNumber(), () => context.isInterrupted())
}
