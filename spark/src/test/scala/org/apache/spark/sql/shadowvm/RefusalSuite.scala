// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import scala.collection.JavaConverters._

import org.shadowvm.node.{NodeAway, NodeClient}
import org.shadowvm.proto.v1._

/** A node has the last word: what it refuses is cut off, and the rest below still runs in it. */
class RefusalSuite extends ShadowSuite {
  private val sorted = "SELECT s_product, sum(s_price) AS total FROM sales GROUP BY s_product ORDER BY s_product"

  /** The driver's node refuses some actions; tasks talk to the node behind it. */
  private def refusing[T](refused: Action => Boolean)(body: => T): T = {
    val honest = ShadowRuntime.of(spark.sparkContext).get.nodes
    val strict = new RefusingClient(node, refused)
    ShadowRuntime.install(spark.sparkContext, new DriverNode {
      override def client(): Either[String, NodeClient] = Right(strict)
      override def lost(failure: NodeAway): Unit = honest.lost(failure)
    })
    try body
    finally ShadowRuntime.install(spark.sparkContext, honest)
  }

  test("an island is cut below the refused action") {
    refusing(_.hasSort) {
      val report = runsInBoth(spark.sql(sorted))
      val sort = report.operators.find(_.name == "Sort").get
      assert(!sort.inNode && sort.reasons.map(_.code) == Seq("REFUSED_HERE"), report)
      assert(report.operators.exists(operator => operator.name == "ShadowHashAggregate" && operator.inNode), report)
    }
  }

  test("nothing is left where the scan is refused") {
    refusing(_.hasScan)(runsInSpark("REFUSED_HERE")(spark.sql(sorted)))
  }

  test("the next query is planned as if nothing had been")(runsInNode(sorted))
}

/** A client whose node finds fault with some actions. */
private final class RefusingClient(node: NodeClient, refused: Action => Boolean) extends NodeClient {
  override def validate(command: Array[Byte]): ValidateResponse = {
    val actions = Command.parseFrom(command).getActionsList.asScala
    val response = ValidateResponse.newBuilder()
    actions.foreach { action =>
      response.addActions(
        ActionSupport.newBuilder().setActionId(action.getId).setSupported(!refused(action))
          .setReason("REFUSED_HERE").setText("this test refuses it"))
    }
    response.build()
  }

  override def address: String = node.address
  override def noGpu(): Option[String] = node.noGpu()
  override def register(id: String, command: Array[Byte], execution: Execution): RegisterResponse =
    node.register(id, command, execution)
  override def answerSchema(id: String, command: Array[Byte], execution: Execution): Array[Byte] =
    node.answerSchema(id, command, execution)
  override def run(request: RunPipelineRequest, cancelled: () => Boolean): RunPipelineResponse =
    node.run(request, cancelled)
  override def fetch(id: String, cancelled: () => Boolean): java.io.InputStream = node.fetch(id, cancelled)
  override def cancel(id: String): Unit = node.cancel(id)
  override def status(): StatusResponse = node.status()
  override def dropTables(): Unit = node.dropTables()
  override def dropKernels(): Unit = node.dropKernels()
  override def close(): Unit = ()
}
