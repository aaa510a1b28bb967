// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import org.shadowvm.proto.v1.ErrorClass

/** An error that a node has answered with: `code` is a number of the engine's error table, the class says what to do. */
class NodeFailure(val code: Int, val errorClass: ErrorClass, message: String, cause: Throwable = null)
    extends RuntimeException(message, cause) {

  /** Tasks send their failures to the driver, which must know them again; gRPC's, behind them, cannot travel. */
  protected def writeReplace(): AnyRef =
    if (getCause == null) this else withStack(new NodeFailure(code, errorClass, getMessage))

  protected def withStack(failure: NodeFailure): NodeFailure = {
    failure.setStackTrace(getStackTrace)
    failure
  }
}

/** There is no node to talk to: it cannot be reached, the connection was lost, or its process died. */
final class NodeAway(message: String, cause: Throwable = null)
    extends NodeFailure(NodeFailure.NoCode, ErrorClass.ERROR_CLASS_RETRYABLE, message, cause) {
  override protected def writeReplace(): AnyRef = if (getCause == null) this else withStack(new NodeAway(getMessage))
}

/** The task that waited for the node was cancelled; no failure, and never a reason to run anything again. */
final class NodeCancelled(message: String) extends RuntimeException(message)

object NodeFailure {

  /** Of failures that no node has numbered. */
  val NoCode: Int = 0

  // Numbers of engine/base/error_table.inc that change what a client does next.
  val ProtocolVersion: Int = 2006
  val UnknownSession: Int = 5001
  val UnknownQuery: Int = 5002
  val NodeStopping: Int = 5003
  val BadAddress: Int = 5004
}
