// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.concurrent.ConcurrentHashMap

import scala.collection.JavaConverters._

import org.apache.spark.{SparkConf, SparkContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.shadowvm.node.{NodeAway, NodeClient, NodeFailure, NodeManager}

/** Where the driver gets a client of the node from. */
trait DriverNode {

  /** Left: why there is none, in one sentence. */
  def client(): Either[String, NodeClient]

  /** Somebody saw it gone. */
  def lost(failure: NodeAway): Unit
}

object DriverNode {
  def of(manager: NodeManager): DriverNode = new DriverNode {
    override def client(): Either[String, NodeClient] = manager.client()
    override def lost(failure: NodeAway): Unit = manager.lost(failure)
  }
}

/** What the rules and roots of one application share on the driver. */
final class ShadowRuntime(val nodes: DriverNode, conf: SparkConf) {
  val settings = new SessionSettings(conf.getAll.map { case (key, _) => key })
  val verdicts = new Verdicts(capacity = 512)
  val explainLog = new ExplainLog
  val deviceLog = new DeviceLog
  val rdds = new SharedAnswers[RDD[InternalRow]]

  /** Of islands that are broadcast. */
  val rows = new SharedAnswers[Array[InternalRow]]
}

/**
 * The runtime of each Spark context. Spark makes our extension from its class name alone, so that this is the only way
 * from a rule to what the plugin has started.
 */
object ShadowRuntime {
  private val runtimes = new ConcurrentHashMap[SparkContext, ShadowRuntime]

  def install(context: SparkContext, nodes: DriverNode): Unit = {
    val runtime = new ShadowRuntime(nodes, context.conf)
    context.addSparkListener(runtime.rdds)
    context.addSparkListener(runtime.rows)
    runtimes.put(context, runtime)
  }

  def remove(context: SparkContext): Unit = runtimes.remove(context)

  def of(context: SparkContext): Option[ShadowRuntime] = Option(runtimes.get(context))

  /** A client for a query that is about to run. */
  def client(context: SparkContext): NodeClient = of(context) match {
    case Some(runtime) => runtime.nodes.client().fold(why => throw new NodeAway(why), identity)
    case None =>
      throw new NodeAway("the ShadowVM plugin does not run here: start with spark.plugins=org.shadowvm.ShadowPlugin")
  }

  /** After a query has failed. */
  def noticeIfLost(context: SparkContext, failure: NodeFailure): Unit = failure match {
    case away: NodeAway => of(context).foreach(_.nodes.lost(away))
    case _ =>
  }

  /** In a task, which knows the node's address: where it runs in the driver's JVM, the driver hears of it at once. */
  def noticeIfLost(address: String, failure: NodeFailure): Unit = failure match {
    case away: NodeAway =>
      runtimes.values.asScala.map(_.nodes).filter(_.client().exists(_.address == address)).foreach(_.lost(away))
    case _ =>
  }
}
