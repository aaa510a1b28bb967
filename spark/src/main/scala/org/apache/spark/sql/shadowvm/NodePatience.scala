// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import org.shadowvm.node.{NodeCancelled, NodeFailure}
import org.shadowvm.proto.v1.ErrorClass

/**
 * Waits for a node that comes back, in a task whose rows are asked for when nobody can fall back to Spark any longer. A
 * node of the driver's is there again after a second or so; one that hangs is replaced first.
 */
private[shadowvm] object NodePatience {
  private val LimitMs = 30000L
  private val PauseMs = 100L

  /** Tries again, from the beginning, while the node says or shows that another time may do. */
  def insist[T](query: ShadowQuery, caller: Caller)(attempt: => T): T = {
    lazy val end = System.nanoTime() + LimitMs * 1000000
    @tailrec def again(): T = Try(attempt) match {
      case Success(result) => result
      case Failure(failure: NodeFailure) if isPassing(failure) && System.nanoTime() < end =>
        if (caller.cancelled()) throw new NodeCancelled(s"query ${query.id} was cancelled")
        ShadowRuntime.noticeIfLost(query.address, failure)
        Thread.sleep(PauseMs)
        again()
      case Failure(other) => throw other
    }
    again()
  }

  private def isPassing(failure: NodeFailure): Boolean = failure.errorClass == ErrorClass.ERROR_CLASS_RETRYABLE
}
