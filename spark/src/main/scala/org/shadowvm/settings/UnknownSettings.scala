// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.settings

import java.util.concurrent.ConcurrentHashMap

/**
 * Keys below our prefix that mean nothing: most likely a slip of the pen. Says each one once in its life; thread safe.
 *
 * @param saidBefore
 *   keys that others have looked at
 */
final class UnknownSettings(saidBefore: Iterable[String] = Nil) {
  private val said = ConcurrentHashMap.newKeySet[String]()
  saidBefore.foreach(said.add)

  /** Sentences about keys not seen before. */
  def warnings(keys: Iterable[String]): Seq[String] = UnknownSettings.warnings(keys.filter(said.add))
}

object UnknownSettings {

  def warnings(keys: Iterable[String]): Seq[String] =
    keys.filter(key => key.startsWith(KnownSettings.Prefix) && KnownSettings.of(key).isEmpty).toSeq.sorted
      .map(key => s"$key is no setting of ShadowVM and has no effect; did you mean ${nearest(key)}?")

  private def nearest(key: String): String =
    KnownSettings.keysLike(key).toSeq.sorted.minBy(distance(key.toLowerCase, _))

  /** How many letters must be put in, taken out or changed to get from one word to the other (Levenshtein). */
  private def distance(a: String, known: String): Int = {
    val b = known.toLowerCase
    val start = (0 to b.length).toVector
    a.indices.foldLeft(start) { (above, i) =>
      b.indices.foldLeft(Vector(i + 1)) { (row, j) =>
        val change = above(j) + (if (a(i) == b(j)) 0 else 1)
        row :+ math.min(change, math.min(above(j + 1), row(j)) + 1)
      }
    }.last
  }
}
