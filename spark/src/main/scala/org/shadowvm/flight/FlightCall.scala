// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.flight

import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit, TimeoutException}

import io.grpc.{ClientCall, Metadata, Status, StatusRuntimeException}

/** A call under way, whose answer somebody may wait for. It has a deadline, so that every wait ends. */
final class FlightCall[A] private[flight] (call: ClientCall[_, A], answer: CompletableFuture[A]) {

  /** Calls `check` about every `glanceMs` while it waits; what that throws ends the call. */
  def await(glanceMs: Long, check: () => Unit): A =
    try waitFor(glanceMs, check)
    catch {
      case failed: ExecutionException => throw failed.getCause
      case other: Throwable =>
        call.cancel("nobody waits for it any longer", other)
        throw other
    }

  private def waitFor(glanceMs: Long, check: () => Unit): A = {
    var got: Option[A] = None
    while (got.isEmpty) {
      try got = Some(answer.get(glanceMs, TimeUnit.MILLISECONDS))
      catch { case _: TimeoutException => check() }
    }
    got.get
  }
}

/** Takes the first message of a call for its answer. */
private[flight] final class FirstAnswer[A](answer: CompletableFuture[A]) extends ClientCall.Listener[A] {
  private var first: Option[A] = None

  override def onMessage(message: A): Unit = if (first.isEmpty) first = Some(message)

  override def onClose(status: Status, trailers: Metadata): Unit = (status.isOk, first) match {
    case (true, Some(message)) => answer.complete(message)
    case (true, None) => fail(Status.INTERNAL.withDescription("the call ended without an answer"), trailers)
    case (false, _) => fail(status, trailers)
  }

  private def fail(status: Status, trailers: Metadata): Unit =
    answer.completeExceptionally(new StatusRuntimeException(status, trailers))
}
