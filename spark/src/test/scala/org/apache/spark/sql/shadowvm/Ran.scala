// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

/**
 * A line about a pipeline that has run, or about a sort or a hash table of it, read again. One of a device without a
 * reason ran as it was asked for, or had no choice.
 */
final case class Ran(what: String, device: String, isPredicted: Boolean, reason: Option[String])

object Ran {
  private val Line = """ +(.*): (cpu|gpu|cpu and gpu)(, predicted \d+\.\d{3} ms)?, took \d+\.\d{3} ms(?:, (.*))?""".r

  def of(line: String): Option[Ran] = line match {
    case Line(what, device, predicted, reason) => Some(Ran(what, device, predicted != null, Option(reason)))
    case _ => None
  }
}
