// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._

import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite
import org.shadowvm.{TestCommands, TestProgram}
import org.shadowvm.Eventually.eventually
import org.shadowvm.proto.v1.{ErrorClass, RunPipelineRequest}

class NodeClientSuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val node = new TestNode
  private def client = node.client
  private val never = () => false

  /** A number of engine/base/error_table.inc. */
  private val cancelled = 4002
  private lazy val lineorder: Path = TestProgram.ssb.resolve("lineorder.parquet")

  override def afterAll(): Unit = node.close()

  private def last(id: String): RunPipelineRequest = {
    val pipelines = client.register(id, TestCommands.countRows(lineorder)).getPipelinesList
    RunPipelineRequest.newBuilder.setQueryId(id).setPipeline(pipelines.get(pipelines.size - 1).getIndex).build
  }

  private def endless(id: String): RunPipelineRequest = {
    val pipelines = client.register(id, TestCommands.endless(lineorder)).getPipelinesList
    RunPipelineRequest.newBuilder.setQueryId(id).setPipeline(pipelines.get(pipelines.size - 1).getIndex).build
  }

  test("a session, and what the node says of itself") {
    assert(client.status().getSessions == 1)
    assert(NodeClients.at(node.address) eq client)
  }

  test("a command is validated") {
    val good = client.validate(TestCommands.countRows(lineorder))
    assert(good.getActionsCount > 0 && good.getActionsList.stream.allMatch(_.getSupported) && !good.hasError)
    val bad = client.validate(TestCommands.scan(lineorder, "no_such_column"))
    assert(bad.getError.getMessage.contains("no_such_column"))
  }

  test("a query is registered, run and answered in the response; registering again changes nothing") {
    assert(client.run(last("count"), never).getInlineAnswer.size > 0)
    last("again")
    last("again")
    assert(client.run(last("again"), never).getMetrics.getRows == 1)
  }

  test("an answer as a stream is whole") {
    client.register("stream", TestCommands.scan(lineorder, "lo_orderkey"))
    val stream = client.fetch("stream", never)
    val bytes = try stream.readAllBytes() finally stream.close()
    assert(bytes.length > 4 * 60000)
    // An IPC stream ends with a mark and no length.
    assert(bytes.takeRight(8).toSeq == Seq(-1, -1, -1, -1, 0, 0, 0, 0).map(_.toByte))
  }

  test("the node's errors keep their number and class") {
    val unknown = intercept[NodeFailure](client.run(
      RunPipelineRequest.newBuilder.setQueryId("nobody").build, never))
    assert(unknown.code == NodeFailure.UnknownQuery && unknown.getMessage.contains("SVM-5002"))
    assert(!unknown.getMessage.contains("Detail"))
    val garbage = intercept[NodeFailure](client.register("garbage", Array[Byte](1, 2, 3)))
    assert(garbage.code == 2001 && garbage.errorClass == ErrorClass.ERROR_CLASS_USER)
    val fetched = intercept[NodeFailure](client.fetch("nobody", never).read())
    assert(fetched.code == NodeFailure.UnknownQuery)
  }

  test("cancelling while waiting ends the wait and the query") {
    val cancelled = new AtomicBoolean
    val running = Future(client.run(endless("cancelled"), () => cancelled.get))
    eventually("the query runs")(client.status().getQueriesRunning == 1)
    cancelled.set(true)
    assert(intercept[NodeCancelled](Await.result(running, 240.seconds)).getMessage.contains("cancelled"))
    eventually("the node has ended it")(client.status().getQueriesRunning == 0)
  }

  test("interrupting a thread that waits ends the query too") {
    val request = endless("interrupted")
    @volatile var outcome: Throwable = null
    val waiting = new Thread(() => try client.run(request, never) catch { case end: Throwable => outcome = end })
    waiting.start()
    eventually("the query runs")(client.status().getQueriesRunning == 1)
    waiting.interrupt()
    waiting.join(240000)
    assert(outcome.isInstanceOf[NodeCancelled])
    eventually("the node has ended it")(client.status().getQueriesRunning == 0)
  }

  test("cancelling by name") {
    val running = Future(client.run(endless("named"), never))
    eventually("the query runs")(client.status().getQueriesRunning == 1)
    client.cancel("named")
    assert(intercept[NodeFailure](Await.result(running, 240.seconds)).code == cancelled)
  }

  test("a node that dies is away, and the next one is found at the same address") {
    val running = Future(client.run(endless("killed"), never))
    eventually("the query runs")(client.status().getQueriesRunning == 1)
    node.kill()
    intercept[NodeAway](Await.result(running, 240.seconds))
    intercept[NodeAway](client.status())
    node.restart()
    assert(client.status().getSessions == 1)
    assert(client.run(last("after"), never).getMetrics.getRows == 1)
    val unknown = intercept[NodeFailure](client.run(
      RunPipelineRequest.newBuilder.setQueryId("killed").build, never))
    assert(unknown.code == NodeFailure.UnknownQuery)
  }

  test("a node that was replaced between two calls is not noticed") {
    client.status()
    node.kill()
    node.restart()
    eventually("the client has a new session")(scala.util.Try(client.status()).isSuccess)
    assert(client.run(last("replaced"), never).getMetrics.getRows == 1)
  }

  test("dropping what the node remembers") {
    client.dropTables()
    client.dropKernels()
    assert(client.run(last("anew"), never).getMetrics.getRows == 1)
  }

  test("a closed client says so") {
    val own = new FlightNodeClient(node.address, node.socket, timeoutMs = 10000)
    own.status()
    own.close()
    assert(intercept[NodeAway](own.status()).getMessage.contains("was closed"))
  }
}
