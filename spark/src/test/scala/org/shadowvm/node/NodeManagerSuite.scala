// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.node

import java.nio.file.{Files, Path}
import java.nio.file.attribute.PosixFilePermissions
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.util.Try

import org.apache.spark.SparkConf
import org.scalatest.funsuite.AnyFunSuite
import org.shadowvm.{ProgramGate, TestFolders, TestProgram, TestScripts}
import org.shadowvm.Eventually.eventually

class NodeManagerSuite extends AnyFunSuite {

  /** Somewhat more than sessions take from one sign of life to the next. */
  private val KeepAlivesMs = 3000L

  private def conf(settings: (String, String)*): SparkConf = {
    val conf = new SparkConf(false).set("spark.master", "local[2]")
    settings.foreach { case (key, value) => conf.set(s"spark.shadowvm.$key", value) }
    conf
  }

  private def started(settings: (String, String)*): NodeManager = {
    val own = Seq("node.path" -> TestProgram.path.toString, "memory" -> "512m")
    val manager = new NodeManager(conf(own ++ settings: _*))
    manager.start()
    manager
  }

  private def withManager[T](manager: NodeManager)(body: NodeManager => T): T =
    try body(manager)
    finally manager.stop()

  // What is noticed late of a node that has ended may make the next one look away for a moment.
  private def client(manager: NodeManager): NodeClient = {
    var found = Option.empty[NodeClient]
    eventually("a node is there") {
      found = manager.client().toOption
      found.isDefined
    }
    found.get
  }

  private def socket(manager: NodeManager): Path = NodeAddress.socket(client(manager).address).toOption.get

  private def pid(manager: NodeManager): Long = client(manager).status().getProcessId.toLong

  private def isAlive(pid: Long): Boolean = {
    val process = ProcessHandle.of(pid)
    process.isPresent && process.get.isAlive
  }

  test("a node is started with the application and goes with it") {
    val manager = started()
    val (process, path) = (pid(manager), socket(manager))
    assert(manager.client().toOption.get.status().getMemoryLimit == 512L << 20)
    assert(PosixFilePermissions.toString(Files.getPosixFilePermissions(path.getParent)) == "rwx------")
    manager.stop()
    assert(!isAlive(process) && !Files.exists(path) && !Files.exists(Path.of(s"$path.lock")))
    assert(manager.client().left.toOption.contains("the application has ended"))
  }

  test("a node that was killed is back at the same address, whoever notices") {
    withManager(started()) { manager =>
      val path = socket(manager)
      for (_ <- 1 to 3) {
        val before = pid(manager)
        ProcessHandle.of(before).get.destroyForcibly()
        eventually("another node answers")(Try(pid(manager)).toOption.exists(_ != before))
        assert(socket(manager) == path && !isAlive(before))
      }
    }
  }

  test("while the node is away there is a sentence about it") {
    val gate = new ProgramGate
    withManager(started("node.path" -> gate.program.toString)) { manager =>
      val sentence = gate.whileShut {
        ProcessHandle.of(pid(manager)).get.destroyForcibly()
        eventually("it is missed")(manager.client().isLeft)
        manager.client().left.toOption.get
      }
      assert(sentence.contains("signal 9") && sentence.contains("brought back"))
      eventually("it is back")(Try(pid(manager)).isSuccess)
    }
  }

  test("a node that came back while its session was known to be lost is watched, too") {
    val gate = new ProgramGate
    withManager(started("node.path" -> gate.program.toString)) { manager =>
      for (_ <- 1 to 2) {
        val before = pid(manager)
        gate.whileShut {
          ProcessHandle.of(before).get.destroyForcibly()
          Thread.sleep(KeepAlivesMs)
        }
        eventually("another node answers")(Try(pid(manager)).toOption.exists(_ != before))
      }
    }
  }

  test("a node that is said to be lost, but answers, is kept") {
    withManager(started()) { manager =>
      val before = pid(manager)
      manager.lost(new NodeAway("a rumour"))
      eventually("it is there again")(manager.client().isRight)
      assert(pid(manager) == before)
    }
  }

  test("a node that hangs is replaced") {
    withManager(started()) { manager =>
      val before = pid(manager)
      new ProcessBuilder("kill", "-STOP", before.toString).start().waitFor()
      manager.lost(new NodeAway("no answer"))
      eventually("another node answers")(Try(pid(manager)).toOption.exists(_ != before))
      assert(!isAlive(before))
    }
  }

  test("a node at an address is used and not stopped") {
    val node = new TestNode
    try {
      withManager(started("node.address" -> node.address))(manager => assert(socket(manager) == node.socket))
      assert(node.client.status().getProcessId > 0)
    } finally node.close()
  }

  test("a node at an address is found once it is there, and again after it was away") {
    val socket = TestFolders.make().resolve("run").resolve("node.sock")
    withManager(started("node.address" -> s"unix:$socket")) { manager =>
      assert(manager.client().left.exists(_.contains("there is no node at")))
      val node = new TestNode(socket)
      try {
        eventually("it is found")(manager.client().isRight)
        node.kill()
        manager.lost(intercept[NodeAway](manager.client().toOption.get.status()))
        assert(manager.client().isLeft)
        node.restart()
        eventually("it is found again")(manager.client().isRight)
      } finally node.close()
    }
  }

  test("a node at an address that cannot be looked at is found once it can") {
    val folder = TestFolders.make().resolve("run")
    Files.createFile(folder)
    withManager(started("node.address" -> s"unix:$folder/node.sock")) { manager =>
      assert(manager.client().left.exists(_.contains("cannot be looked at")), manager.client())
      Files.delete(folder)
      val node = new TestNode(folder.resolve("node.sock"))
      try eventually("it is found")(manager.client().isRight)
      finally node.close()
    }
  }

  test("a failure that nobody has foreseen neither ends the application nor the attempts to get a node") {
    val attempts = new AtomicInteger
    val lightened = new AtomicBoolean
    val moody = new NodeHost {
      override val address: String = "unix:/nowhere/node.sock"
      override def bringUp(): Unit = {
        attempts.incrementAndGet()
        if (!lightened.get) throw new IllegalStateException("a mood")
      }
      override def shutDown(): Unit = ()
    }
    withManager(new NodeManager(_ => Right(moody))) { manager =>
      manager.start()
      eventually("it is tried again")(attempts.get > 2)
      assert(manager.client().left.exists(_.contains("a mood")), manager.client())
      lightened.set(true)
      eventually("it is there")(manager.client().isRight)
    }
  }

  test("why there is no node") {
    def reason(settings: SparkConf): String = withManager(new NodeManager(settings)) { manager =>
      manager.start()
      manager.client().left.toOption.get
    }
    assert(reason(conf("node.path" -> "/no/such/program")) ==
      "spark.shadowvm.node.path is /no/such/program, which is no program")
    assert(reason(conf("node.autostart" -> "false")).contains("spark.shadowvm.node.autostart is false"))
    assert(reason(conf("node.address" -> "localhost:80")).contains("does not listen on the network"))
    assert(reason(conf().set("spark.master", "yarn")).contains("for a local master only, and this is yarn"))
    assert(reason(conf().set("spark.master", "local-cluster[1,1,1024]")).contains("for a local master only"))
  }

  test("a program that is no node ends with its last words") {
    val manager = new NodeManager(conf("node.path" -> TestScripts.write("echo it has no wings >&2; exit 3").toString))
    manager.start()
    withManager(manager)(_ => assert(manager.client().left.exists(_.endsWith("ended with status 3: it has no wings"))))
  }

  test("a program that never listens does not outlive the manager") {
    val folder = TestFolders.make()
    val hung = TestScripts.write(s"echo $$$$ > $folder/pid", "exec sleep 600")
    val manager = new NodeManager(conf("node.path" -> hung.toString))
    val starting = new Thread(() => manager.start())
    starting.start()
    eventually("it runs")(Files.exists(folder.resolve("pid")) && Files.size(folder.resolve("pid")) > 0)
    val process = Files.readString(folder.resolve("pid")).trim.toLong
    starting.join()
    manager.stop()
    assert(!isAlive(process))
  }

  test("the program is looked for beside the jar, then on PATH") {
    val folder = TestFolders.make()
    val jars = Files.createDirectories(folder.resolve("jars"))
    val bin = Files.createDirectories(folder.resolve("bin"))
    assert(NodeProgram.find(None, Some(jars), bin.toString).left.exists(_.contains("set spark.shadowvm.node.path")))
    val other = TestScripts.write("exit 0")
    assert(NodeProgram.find(None, Some(jars), s"${other.getParent}").contains(other))
    val neighbour = Files.copy(other, bin.resolve("shadowvm"))
    Files.setPosixFilePermissions(neighbour, PosixFilePermissions.fromString("rwx------"))
    assert(NodeProgram.find(None, Some(jars), s"${other.getParent}").contains(neighbour))
  }

  test("memory beside the heap") {
    assert(NodeMemory.beside(machine = 16L << 30, heap = 4L << 30) == 6L << 30)
    assert(NodeMemory.beside(machine = 4L << 30, heap = 4L << 30) == 512L << 20)
  }
}
