// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.answer

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicBoolean

import scala.collection.JavaConverters._

import com.google.protobuf.ByteString
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.types.StructType
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite
import org.shadowvm.{TestCommands, TestFolders, TestProgram}
import org.shadowvm.node.{NodeCancelled, NodeFailure, TestNode}
import org.shadowvm.proto.v1.{RunPipelineRequest, RunPipelineResponse, SharedFile}

class AnswerReaderSuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val node = new TestNode
  private lazy val spark = SparkSession.builder().master("local[1]").getOrCreate()
  private val never = () => false
  private def table(name: String): Path = TestProgram.ssb.resolve(s"$name.parquet")

  override def afterAll(): Unit = {
    node.close()
    spark.stop()
  }

  private def run(id: String, command: Array[Byte], shared: Boolean): RunPipelineResponse = {
    val pipelines = node.client.register(id, command).getPipelinesList
    node.client.run(
      RunPipelineRequest.newBuilder.setQueryId(id).setPipeline(pipelines.get(pipelines.size - 1).getIndex)
        .setAcceptSharedMemory(shared).build, never)
  }

  /** Every row of an answer; closing checks that no memory is left. */
  private def rows(response: RunPipelineResponse, id: String, schema: StructType): Seq[Row] = {
    val convert = CatalystTypeConverters.createToScalaConverter(schema)
    val batches = AnswerReader.batches(response, id, node.client, never)
    try batches.flatMap(_.rowIterator.asScala.map(row => convert(row.copy()).asInstanceOf[Row])).toList
    finally batches.close()
  }

  private def check(name: String, response: RunPipelineResponse, id: String): Unit = {
    val expected = spark.read.parquet(table(name).toString)
    val answer = rows(response, id, expected.schema)
    assert(answer.map(_.toString).sorted == expected.collect().map(_.toString).sorted.toSeq)
  }

  test("a small answer comes in the response") {
    val response = run("small", TestCommands.scan(table("supplier")), shared = true)
    assert(!response.getInlineAnswer.isEmpty)
    check("supplier", response, "small")
  }

  test("a large answer comes as files, which are gone once they are taken") {
    val response = run("shared", TestCommands.scan(table("lineorder")), shared = true)
    val files = response.getSharedAnswerList.asScala.map(file => Path.of(file.getPath))
    assert(files.nonEmpty && files.forall(Files.exists(_)))
    val batches = AnswerReader.batches(response, "shared", node.client, never)
    assert(!files.exists(Files.exists(_)))
    batches.close()
    check("lineorder", run("shared", TestCommands.scan(table("lineorder")), shared = true), "shared")
  }

  test("a large answer comes as a stream where memory is not shared") {
    val response = run("stream", TestCommands.scan(table("lineorder")), shared = false)
    assert(response.getSharedAnswerCount == 0 && response.getInlineAnswer.isEmpty)
    check("lineorder", response, "stream")
  }

  test("an answer that is not read to its end gives everything back") {
    for (shared <- Seq(true, false)) {
      val batches = AnswerReader.batches(
        run("early", TestCommands.scan(table("lineorder")), shared), "early", node.client, never)
      assert(batches.next().numRows > 0)
      batches.close()
      assert(!batches.hasNext)
    }
  }

  test("a stream can be cancelled while it is read") {
    val cancelled = new AtomicBoolean(true)
    val response = run("cancelled", TestCommands.scan(table("lineorder")), shared = false)
    val batches = AnswerReader.batches(response, "cancelled", node.client, () => cancelled.get)
    // It may have arrived before anybody asked; then there is nothing to cancel.
    try batches.foreach(_.numRows)
    catch { case stopped: NodeCancelled => assert(stopped.getMessage.contains("cancelled")) }
    finally batches.close()
  }

  test("a file that is gone, short or no stream is a failure that leaves nothing") {
    val folder = TestFolders.make()
    val good = Files.write(folder.resolve("good"), new Array[Byte](64))
    def taking(files: (Path, Int)*): NodeFailure = intercept[NodeFailure] {
      val response = RunPipelineResponse.newBuilder
      files.foreach { case (path, size) =>
        response.addSharedAnswer(SharedFile.newBuilder.setPath(path.toString).setBytes(size))
      }
      val batches = AnswerReader.batches(response.build, "bad", node.client, never)
      try batches.hasNext
      finally batches.close()
    }
    assert(taking(good -> 64, folder.resolve("gone") -> 64).getMessage.contains("gone"))
    assert(!Files.exists(good))
    assert(taking(Files.write(folder.resolve("short"), new Array[Byte](8)) -> 64).getMessage.contains("has 8 bytes of 64"))
    val garbage = Files.write(folder.resolve("garbage"), Array.fill[Byte](64)(77))
    assert(taking(garbage -> 64).getMessage.contains("cut off"))
  }

  test("an answer that is cut off is a failure") {
    val whole = run("cut", TestCommands.scan(table("supplier")), shared = false)
    val half = ByteString.copyFrom(whole.getInlineAnswer.toByteArray.take(whole.getInlineAnswer.size / 2))
    val batches = AnswerReader.batches(whole.toBuilder.setInlineAnswer(half).build, "cut", node.client, never)
    try assert(intercept[NodeFailure](batches.foreach(_.numRows)).getMessage.contains("cut off"))
    finally batches.close()
  }
}
