// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.shadowvm.node.NodeFailure

private[shadowvm] object NodeFailures {

  /** More would be a cycle. */
  private val MostCauses = 50

  /** The failure of a node that an error came from; none for a cancelled job and for Spark's own errors. */
  def in(error: Throwable): Option[NodeFailure] =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(MostCauses).collectFirst { case f: NodeFailure => f }
}
