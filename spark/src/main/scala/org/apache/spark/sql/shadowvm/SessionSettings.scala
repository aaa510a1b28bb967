// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import scala.collection.JavaConverters._

import org.apache.spark.internal.Logging
import org.apache.spark.sql.internal.SQLConf
import org.shadowvm.settings.{KnownSettings, ShadowSettings, UnknownSettings}

/**
 * The settings of sessions when queries are planned. They are parsed anew where one has changed, and those that nobody
 * knows are warned of, once each. From any thread.
 *
 * @param ofApplication
 *   keys that the application was started with: those were looked at when it started
 */
private[shadowvm] final class SessionSettings(ofApplication: Iterable[String]) extends Logging {
  import SessionSettings._

  private val unknown = new UnknownSettings(ofApplication)
  @volatile private var lately: List[Read] = Nil

  /** Throws a SettingError where one is of a wrong type. */
  def of(conf: SQLConf): ShadowSettings = {
    val set = ours(conf)
    lately.find(_.set == set).getOrElse(read(set)).settings
  }

  private def read(set: Map[String, String]): Read = {
    unknown.warnings(set.keys).foreach(warning => logWarning(warning))
    val read = Read(set, ShadowSettings.of(set))
    lately = read :: lately.take(MostKept - 1)
    read
  }
}

private object SessionSettings {
  private final case class Read(set: Map[String, String], settings: ShadowSettings)

  /** Sessions with settings of their own, that take turns. */
  private val MostKept = 8

  /** Without a copy of all the others, of which there are many. */
  private def ours(conf: SQLConf): Map[String, String] = conf.settings.synchronized {
    conf.settings.asScala.iterator.filter { case (key, _) => key.startsWith(KnownSettings.Prefix) }.toMap
  }
}
