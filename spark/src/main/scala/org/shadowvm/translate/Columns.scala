// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId}

/** Which attribute is which column of an action's result. */
final class Columns(val ids: IndexedSeq[ExprId]) {

  private lazy val ordinals: Map[ExprId, Int] = ids.zipWithIndex.reverse.toMap

  def ordinalOf(id: ExprId): Option[Int] = ordinals.get(id)

  def ++(other: Columns): Columns = new Columns(ids ++ other.ids)

  /** The columns are these attributes, one for one. */
  def are(attributes: Seq[Attribute]): Boolean =
    ids.length == attributes.length && ids.indices.forall(i => ids(i) == attributes(i).exprId)
}

object Columns {
  def of(attributes: Seq[Attribute]): Columns = new Columns(attributes.map(_.exprId).toIndexedSeq)
}
