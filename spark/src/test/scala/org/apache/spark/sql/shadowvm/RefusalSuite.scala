// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import scala.collection.JavaConverters._

import org.shadowvm.ShadowReport
import org.shadowvm.node.{NodeAway, NodeClient}
import org.shadowvm.proto.v1._

/** A node has the last word: what it refuses is cut off, and the rest below still runs in it. */
class RefusalSuite extends ShadowSuite {
  private val sorted = "SELECT s_product, sum(s_price) AS total FROM sales GROUP BY s_product ORDER BY s_product"

  /** The driver's node refuses some actions; tasks talk to the node behind it. */
  private def refusing[T](refused: Action => Boolean)(body: => T): T =
    withClient(new RefusingClient(node, refused))(body)

  private def withClient[T](other: NodeClient)(body: => T): T = {
    val honest = ShadowRuntime.of(spark.sparkContext).get.nodes
    ShadowRuntime.install(spark.sparkContext, new DriverNode {
      override def client(): Either[String, NodeClient] = Right(other)
      override def lost(failure: NodeAway): Unit = ()
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

  test("a node that does not answer is asked once while a query is planned") {
    val silent = new SilentClient(node)
    withClient(silent) {
      val both = s"SELECT * FROM ($sorted LIMIT 5) UNION ALL SELECT * FROM ($sorted LIMIT 6)"
      val query = spark.sql(both)
      val report = ShadowReport.of(query)
      assert(report.accelerated == 0 && report.reasonCodes.contains("NO_NODE"), report)
      assert(silent.asked == 1)
    }
  }

  test("the next query is planned as if nothing had been")(runsInNode(sorted))
}

/** A client whose node finds fault with some actions. */
private class RefusingClient(node: NodeClient, refused: Action => Boolean) extends NodeClient {
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

/** A client whose node holds still. */
private final class SilentClient(node: NodeClient) extends RefusingClient(node, _ => false) {
  var asked = 0

  override def validate(command: Array[Byte]): ValidateResponse = {
    asked += 1
    throw new NodeAway("it holds still")
  }
}
