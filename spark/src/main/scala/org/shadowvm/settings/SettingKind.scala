// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.settings

import java.util.Locale

import scala.util.Try

import org.apache.spark.network.util.JavaUtils

/** How a setting is written.
 *
 *  @param name for the page about settings
 *  @param expected ends the sentence "expected …"
 */
sealed abstract class SettingKind[T](val name: String, val expected: String) {
  def parse(text: String): Option[T]

  /** As a user would write it; "" for a value that means "not set". */
  def show(value: T): String = value.toString
}

object SettingKind {
  case object Flag extends SettingKind[Boolean]("boolean", "true or false") {
    override def parse(text: String): Option[Boolean] = text.toLowerCase(Locale.ROOT) match {
      case "true" => Some(true)
      case "false" => Some(false)
      case _ => None
    }
  }

  final case class Number(least: Int) extends SettingKind[Int]("integer", s"a whole number, at least $least") {
    override def parse(text: String): Option[Int] = Try(text.toInt).toOption.filter(_ >= least)
  }

  /** Bytes, in the way Spark writes them. */
  case object Bytes extends SettingKind[Long]("size", "a size such as 4096, 64k, 10m or 2g") {
    override def parse(text: String): Option[Long] = Try(JavaUtils.byteStringAsBytes(text)).toOption.filter(_ >= 0)

    override def show(value: Long): String = Seq(30 -> "g", 20 -> "m", 10 -> "k")
      .collectFirst { case (shift, unit) if value != 0 && value % (1L << shift) == 0 => s"${value >> shift}$unit" }
      .getOrElse(value.toString)
  }

  /** Milliseconds, in the way Spark writes times. */
  final case class Time(leastMs: Long)
      extends SettingKind[Long]("time", s"a time such as 10s or 1m, at least $leastMs ms") {
    override def parse(text: String): Option[Long] = Try(JavaUtils.timeStringAsMs(text)).toOption.filter(_ >= leastMs)

    override def show(value: Long): String = if (value % 1000 == 0) s"${value / 1000}s" else s"${value}ms"
  }

  /** A kind whose empty text means "not set". */
  final case class Maybe[T](kind: SettingKind[T]) extends SettingKind[Option[T]](kind.name, kind.expected) {
    override def parse(text: String): Option[Option[T]] = if (text.isEmpty) Some(None) else kind.parse(text).map(Some(_))

    override def show(value: Option[T]): String = value.fold("")(kind.show)
  }

  case object Text extends SettingKind[String]("text", "a text") {
    override def parse(text: String): Option[String] = Some(text)
  }

  /** One of a few words, in any case. */
  final case class Choice(words: String*)
      extends SettingKind[String](words.mkString(" | "), s"one of ${words.mkString(", ")}") {
    override def parse(text: String): Option[String] = words.find(_.equalsIgnoreCase(text))
  }
}
