// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.settings

/**
 * One `spark.shadowvm.*` key as data: what reads it, what checks it and the page about it come from here.
 *
 * @param scope who may change it, and when it is looked at
 * @param since the first version that knows it
 */
final case class Setting[T](
    key: String,
    kind: SettingKind[T],
    default: T,
    scope: SettingScope,
    doc: String,
    since: String) {

  /** From the text a user has set, or the default; [[SettingError]] names the key, the value and what is expected. */
  def read(values: String => Option[String]): T = values(key).fold(default)(parse)

  def parse(text: String): T =
    kind.parse(text.trim).getOrElse(throw new SettingError(key, text, kind.expected))

  def defaultText: String = kind.show(default)
}

/** When a setting is looked at. */
sealed abstract class SettingScope(val text: String)

object SettingScope {
  case object Application extends SettingScope("application")
  case object Query extends SettingScope("query")
}

/** A value that is not of its setting's type. */
final class SettingError(key: String, text: String, expected: String)
    extends IllegalArgumentException(s"""$key is "$text"; expected $expected""")
