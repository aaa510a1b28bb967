// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import scala.collection.mutable

import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, Property}

/** What a class logs meanwhile. */
object LogLines {
  def of(logging: Class[_])(body: => Any): Seq[String] = {
    val lines = mutable.ArrayBuffer.empty[String]
    val appender = new AbstractAppender("lines", null, null, true, Array.empty[Property]) {
      override def append(event: LogEvent): Unit = lines.synchronized(lines += event.getMessage.getFormattedMessage)
    }
    appender.start()
    val logger = LogManager.getLogger(logging.getName).asInstanceOf[Logger]
    val level = logger.getLevel
    Configurator.setLevel(logging.getName, Level.WARN)
    logger.addAppender(appender)
    try body
    finally {
      logger.removeAppender(appender)
      Configurator.setLevel(logging.getName, level)
    }
    lines.synchronized(lines.toList)
  }
}
