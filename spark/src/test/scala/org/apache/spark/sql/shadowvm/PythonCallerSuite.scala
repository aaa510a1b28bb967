// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.io.{BufferedReader, InputStreamReader}
import java.net.{InetAddress, Socket}
import java.util.concurrent.{CompletableFuture, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.util.{Failure, Success, Try}

import org.apache.spark.{SparkConf, SparkContext, SparkException, TaskContext}
import org.apache.spark.sql.execution.SQLExecution
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite
import org.shadowvm.Eventually.eventually
import py4j.ClientServer

/** Jobs that a Python program waits for, over connections like PySpark's. */
class PythonCallerSuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val context = new SparkContext(
    new SparkConf().setMaster("local[2]").setAppName("python").set("spark.ui.enabled", "false"))

  override def afterAll(): Unit =
    try context.stop()
    finally super.afterAll()

  /** An entry point in Java, and the Python side of a connection to it. */
  private def connected[T](body: (PythonCallerSuite.Entry, () => PythonCallerSuite.Side) => T): T = {
    val entry = new PythonCallerSuite.Entry(context)
    val server = new ClientServer.ClientServerBuilder(entry).javaPort(0).pythonPort(0).build()
    server.startServer(true)
    try body(entry, () => new PythonCallerSuite.Side(server.getJavaServer.getListeningPort))
    finally server.shutdown()
  }

  Seq("work", "workInParts").foreach { work =>
    test(s"Ctrl-C: a call that comes in while another is at work ends its job, $work") {
      connected((entry, connect) => isCancelled(entry, connect(), work))
    }
  }

  private def isCancelled(entry: PythonCallerSuite.Entry, side: PythonCallerSuite.Side, work: String): Unit = {
    side.send(work)
    eventually("it works")(entry.working)
    side.send("ping")
    entry.outcome.get(60, TimeUnit.SECONDS) match {
      case Failure(error: SparkException) => assert(error.getMessage.contains("cancel"), error)
      case other => fail(s"it was not cancelled: $other")
    }
  }

  test("a job that goes on after the call that has begun it does not mind other calls") {
    connected { (entry, connect) =>
      val side = connect()
      side.call("workBeside")
      while (!entry.outcome.isDone) side.call("ping")
      assert(entry.outcome.get == Success("done"))
    }
  }

  test("a job that goes on after its connection was closed") {
    connected { (entry, connect) =>
      val side = connect()
      side.call("workBeside")
      eventually("it works")(entry.working || entry.outcome.isDone)
      side.close()
      assert(entry.outcome.get(60, TimeUnit.SECONDS) == Success("done"))
    }
  }

  test("connections that were closed are forgotten") {
    connected { (_, connect) =>
      def meet(): PythonCallerSuite.Side = {
        val side = connect()
        side.call("meet")
        side
      }
      val sides = Seq.fill(5)(meet())
      assert(PythonCaller.size >= 5)
      sides.foreach(_.close())
      eventually("they are forgotten") {
        meet().close()
        PythonCaller.size < 5
      }
    }
  }
}

object PythonCallerSuite {
  /** Of a job that is to end by itself. */
  private val WorkMillis = 1500L

  /** Of one that is cancelled long before. */
  private val LongWorkMillis = 120000L

  /** What Python calls. */
  class Entry(context: SparkContext) {
    val outcome = new CompletableFuture[Try[String]]

    private val begunBefore = begun.get

    /** A job of this one's: another may be told of as active for a while after it was cancelled. */
    def working: Boolean = begun.get > begunBefore

    /** The thread of the call waits for the job. */
    def work(): Unit = outcome.complete(job(LongWorkMillis))

    /** Another thread waits for the job: of the same query, such as one that broadcasts, or of its own. */
    def workBeside(): Unit = {
      meet()
      new Thread(() => inExecution("2")(outcome.complete(job(WorkMillis)))).start()
    }

    def workInParts(): Unit = inExecution("1") {
      PythonCaller.remember(context)
      val part = new Thread(() => outcome.complete(job(LongWorkMillis)))
      part.start()
      part.join()
    }

    def meet(): Unit = inExecution("1")(PythonCaller.remember(context))

    private def inExecution(id: String)(body: => Unit): Unit = {
      context.setLocalProperty(SQLExecution.EXECUTION_ROOT_ID_KEY, id)
      try body
      finally context.setLocalProperty(SQLExecution.EXECUTION_ROOT_ID_KEY, null)
    }

    def ping(): Unit = ()

    private def job(millis: Long): Try[String] =
      Try(CallerJob.run(context, context.parallelize(Seq(1), 1), sleep(millis)))
  }

  /** Tasks, which run in this JVM. */
  private val begun = new AtomicInteger

  private def sleep(millis: Long): (TaskContext, Iterator[Int]) => String = (task, _) => {
    begun.incrementAndGet()
    val end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis)
    while (System.nanoTime() < end) {
      task.killTaskIfInterrupted()
      Thread.sleep(10)
    }
    "done"
  }

  /** Speaks Py4J's protocol. */
  class Side(port: Int) extends AutoCloseable {
    private val socket = new Socket(InetAddress.getLoopbackAddress, port)
    private val answers = new BufferedReader(new InputStreamReader(socket.getInputStream))

    def send(method: String): Unit = {
      socket.getOutputStream.write(s"c\nt\n$method\ne\n".getBytes("UTF-8"))
      socket.getOutputStream.flush()
    }

    def call(method: String): Unit = {
      send(method)
      val answer = answers.readLine()
      require(answer.startsWith("!y"), answer)
    }

    override def close(): Unit = socket.close()
  }
}
