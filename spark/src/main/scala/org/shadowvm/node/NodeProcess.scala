// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.io.{BufferedReader, InputStream, InputStreamReader}
import java.nio.file.Path
import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit, TimeoutException}

import scala.collection.JavaConverters._
import scala.collection.mutable

import org.slf4j.LoggerFactory

/** How a node is started. */
final case class NodeLaunch(program: Path, socket: Path, memory: Long, threads: Option[Int]) {
  // Nobody but this JVM asks it anything, so when it is stopped there is little to wait for.
  private val drainSeconds = "1"

  def command: Seq[String] =
    Seq(program.toString, "node", "--exit-with-stdin", "--socket", socket.toString, "--memory", memory.toString,
      "--drain", drainSeconds) ++ threads.toSeq.flatMap(count => Seq("--threads", count.toString))
}

/**
 * A node that this JVM has started. Its standard input is a pipe that only this JVM holds: however the JVM ends, the
 * pipe ends with it, and the node sees that.
 */
final class NodeProcess private (process: Process, launch: NodeLaunch) {
  import NodeProcess._

  private val ready = new CompletableFuture[Unit]
  private val lastWords = mutable.Queue.empty[String]
  private val output = follow("shadowvm-node-stdout", process.getInputStream)(sayIfReady)
  private val errors = follow("shadowvm-node-stderr", process.getErrorStream)(remember)

  def pid: Long = process.pid

  def isAlive: Boolean = process.isAlive

  /** Returns once it listens; [[NodeAway]] with its last words if it ends first, or takes too long. */
  def awaitReady(limitMs: Long): Unit =
    try CompletableFuture.anyOf(ready, process.onExit()).get(limitMs, TimeUnit.MILLISECONDS)
    catch { case _: TimeoutException => throw new NodeAway(s"${launch.program} did not listen within $limitMs ms") }
    finally if (!process.isAlive) throw new NodeAway(obituary)

  /** Runs once the process has ended, on a thread of the JVM's; at once if it has. */
  def onExit(action: => Unit): Unit = process.onExit().thenRun(() => action)

  /** What it ended with, for people. Alike for nodes that end alike, so that it is said once. */
  def obituary: String = {
    Seq(output, errors).foreach(_.join(LastWordsMs))
    val said = lastWords.synchronized(lastWords.lastOption).fold("")(line => s": $line")
    s"the node ended with ${exitText(process.exitValue)}$said"
  }

  /** Lets it finish, then ends it; returns when it is gone. */
  def stop(limitMs: Long): Unit = {
    process.destroy()
    if (!process.waitFor(limitMs, TimeUnit.MILLISECONDS)) kill()
    process.getOutputStream.close()
  }

  def kill(): Unit = process.destroyForcibly().waitFor(KillMs, TimeUnit.MILLISECONDS)

  private def sayIfReady(line: String): Unit = if (line.contains("\"ready\"")) ready.complete(())

  private def remember(line: String): Unit = {
    log.info("{}", line)
    lastWords.synchronized {
      lastWords.enqueue(line)
      if (lastWords.size > LastLines) lastWords.dequeue()
    }
  }
}

object NodeProcess {
  private val log = LoggerFactory.getLogger(classOf[NodeProcess])
  private val LastLines = 20
  private val LastWordsMs = 500L
  private val KillMs = 5000L
  private val SignalBase = 128

  /** [[NodeAway]] if the program cannot be run. */
  def start(launch: NodeLaunch): NodeProcess =
    try new NodeProcess(new ProcessBuilder(launch.command.asJava).start(), launch)
    catch {
      case failed: java.io.IOException =>
        throw new NodeAway(s"cannot run ${launch.program}: ${failed.getMessage}", failed)
    }

  private def exitText(code: Int): String =
    if (code > SignalBase) s"signal ${code - SignalBase}" else s"status $code"

  private def follow(name: String, stream: InputStream)(each: String => Unit): Thread = {
    val thread = new Thread(name) {
      override def run(): Unit =
        try {
          val lines = new BufferedReader(new InputStreamReader(stream))
          Iterator.continually(lines.readLine()).takeWhile(_ != null).foreach(each)
        } catch { case _: java.io.IOException => } // the process has gone
    }
    thread.setDaemon(true)
    thread.start()
    thread
  }
}
