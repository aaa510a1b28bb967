// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.flight

import java.io.InputStream
import java.nio.file.Path
import java.util.concurrent.{CompletableFuture, TimeUnit}

import com.google.protobuf.ByteString
import io.grpc.{CallOptions, ClientCall, ManagedChannel, Metadata, MethodDescriptor}
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder
import io.grpc.netty.shaded.io.netty.channel.epoll.{EpollDomainSocketChannel, EpollEventLoopGroup}
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory
import org.shadowvm.flight.proto.{Action, FlightDescriptor, FlightInfo, Result, Ticket}

/**
 * A connection to a Flight server on a Unix socket. Connects with its first call, and again when the connection was
 * lost. Thread safe; failures are gRPC's StatusRuntimeException.
 *
 * Answers are received on the one thread of the connection: nothing here waits on it.
 */
final class FlightChannel(socket: Path) extends AutoCloseable {
  private val loop = new EpollEventLoopGroup(1, new DefaultThreadFactory("shadowvm-flight", true))

  private val channel: ManagedChannel = NettyChannelBuilder
    .forAddress(new DomainSocketAddress(socket.toString))
    // Whatever the host name is: the server looks at nothing but the call.
    .overrideAuthority("localhost")
    .channelType(classOf[EpollDomainSocketChannel])
    .eventLoopGroup(loop)
    .directExecutor()
    // A call that fails is the caller's to repeat; gRPC would keep a copy of every message for it.
    .disableRetry()
    .usePlaintext()
    .maxInboundMessageSize(Int.MaxValue)
    .build()

  /** One action; its one result. */
  def action(name: String, body: Array[Byte], headers: Map[String, String], limitMs: Long): FlightCall[Result] =
    ask(FlightMethods.DoAction, Action.newBuilder.setType(name).setBody(ByteString.copyFrom(body)).build, headers,
      limitMs)

  def flightInfo(command: Array[Byte], headers: Map[String, String], limitMs: Long): FlightCall[FlightInfo] =
    ask(FlightMethods.GetFlightInfo,
      FlightDescriptor.newBuilder.setType(FlightDescriptor.DescriptorType.CMD).setCmd(ByteString.copyFrom(command))
        .build,
      headers, limitMs)

  /** An answer as one Arrow IPC stream; `check` is called while a read waits, and may throw to end it. */
  def get(ticket: Array[Byte], headers: Map[String, String], check: () => Unit): InputStream = {
    val call = channel.newCall(FlightMethods.DoGet, CallOptions.DEFAULT)
    val stream = new IpcInputStream(call, check)
    call.start(stream.listener, metadata(headers))
    send(call, Ticket.newBuilder.setTicket(ByteString.copyFrom(ticket)).build)
    stream.begin()
    stream
  }

  /** Ends calls that are under way, and the thread. */
  override def close(): Unit = {
    channel.shutdownNow()
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS)
  }

  private def ask[Q, A](method: MethodDescriptor[Q, A], question: Q, headers: Map[String, String], limitMs: Long)
      : FlightCall[A] = {
    val options = CallOptions.DEFAULT.withDeadlineAfter(limitMs, TimeUnit.MILLISECONDS)
    val call = channel.newCall(method, options)
    val answer = new CompletableFuture[A]
    call.start(new FirstAnswer(answer), metadata(headers))
    send(call, question)
    // Whatever comes is taken in: one answer, and the end of the call.
    call.request(Int.MaxValue)
    new FlightCall(call, answer)
  }

  private def send[Q](call: ClientCall[Q, _], question: Q): Unit = {
    call.sendMessage(question)
    call.halfClose()
  }

  private def metadata(headers: Map[String, String]): Metadata = {
    val metadata = new Metadata
    headers.foreach { case (key, value) =>
      metadata.put(Metadata.Key.of(key, Metadata.ASCII_STRING_MARSHALLER), value)
    }
    metadata
  }
}
