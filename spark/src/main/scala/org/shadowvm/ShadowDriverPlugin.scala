// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm

import java.util.{Collections, Map => JMap}

import org.apache.spark.SparkContext
import org.apache.spark.api.plugin.{DriverPlugin, PluginContext}
import org.apache.spark.sql.shadowvm.{DriverNode, ShadowExtensions, ShadowRuntime}
import org.shadowvm.node.NodeManager
import org.shadowvm.settings.ShadowSettings
import org.slf4j.LoggerFactory

/** What lives as long as an application: checked settings, a node, and our rules in its sessions. */
private[shadowvm] final class ShadowDriverPlugin extends DriverPlugin {
  private val log = LoggerFactory.getLogger(classOf[ShadowPlugin])
  private var nodes: Option[NodeManager] = None
  private var running: Option[SparkContext] = None

  /** A setting of a wrong type ends the application here, before it has done anything. */
  override def init(context: SparkContext, plugin: PluginContext): JMap[String, String] = {
    ShadowSettings.checkAll(plugin.conf).foreach(log.warn)
    val manager = new NodeManager(plugin.conf)
    nodes = Some(manager)
    manager.start()
    ShadowRuntime.install(context, DriverNode.of(manager))
    ShadowExtensions.install(context)
    running = Some(context)
    Collections.emptyMap()
  }

  override def shutdown(): Unit = {
    running.foreach(ShadowRuntime.remove)
    nodes.foreach(_.stop())
  }
}
