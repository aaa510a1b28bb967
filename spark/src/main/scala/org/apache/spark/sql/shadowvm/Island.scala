// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.security.MessageDigest
import java.util.HexFormat

import org.apache.spark.sql.execution.ScalarSubquery
import org.shadowvm.node.NodeFailure
import org.shadowvm.proto.v1.{Command, ErrorClass}
import org.shadowvm.translate.{Reason, SubqueryValues, Translated}

/**
 * A subtree as a command. Two islands of the same command are the same, but for those that wait for subqueries: these
 * are only what the node is asked about before it runs anything.
 *
 * @param again
 *   translates the subtree with the values of its subqueries, where it has any
 */
final class Island(
    translation: Translated,
    again: SubqueryValues => Either[Seq[Reason], Translated] = _ => Left(Nil)) {
  val command: Command = translation.command
  val bytes: Array[Byte] = command.toByteArray

  /** Of the command's content, which includes sizes and times of its files: the same key gives the same rows. */
  val key: String =
    HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, Island.KeyBytes)

  /** The Spark operators' ids, by action. */
  val operatorOf: Map[Int, Int] = translation.planOf.map { case (action, plan) => action -> plan.id }

  /** Those whose values it waits for. */
  def subqueries: Seq[ScalarSubquery] = translation.subqueries

  /** As it runs, after its subqueries. A value that cannot travel is a failure like any other of the node. */
  def after(ran: Seq[ScalarSubquery]): Island =
    if (subqueries.isEmpty) this
    else
      again(new SubqueryValues.Known(ran)) match {
        case Right(complete) => new Island(complete)
        case Left(reasons) =>
          val why = reasons.map(_.text).mkString("; ")
          throw new NodeFailure(NodeFailure.NoCode, ErrorClass.ERROR_CLASS_USER, why)
      }

  override def equals(other: Any): Boolean = other match {
    case that: Island => key == that.key
    case _ => false
  }
  override def hashCode(): Int = key.hashCode
  override def toString: String = key
}

private object Island {
  private val KeyBytes = 12
}
