// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.{LinkedHashMap, Map => JMap}

import scala.collection.JavaConverters._

import org.shadowvm.node.NodeClient
import org.shadowvm.proto.v1.{ActionSupport, ValidateResponse}
import org.shadowvm.translate.Reason

/** What a node says of a command before it runs. */
private[shadowvm] sealed trait Verdict
private[shadowvm] object Verdict {
  case object Supported extends Verdict
  final case class Refused(reasons: Map[Int, Seq[Reason]]) extends Verdict
}

/** Verdicts by command, so that a query asked again costs no call. */
private[shadowvm] final class Verdicts(capacity: Int) {
  private val known = new LinkedHashMap[String, Verdict](16, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[String, Verdict]): Boolean = size > capacity
  }

  def of(client: NodeClient, island: Island): Verdict =
    known.synchronized(Option(known.get(island.key))).getOrElse {
      val response = client.validate(island.bytes)
      val verdict = read(response, island)
      // An error is of the moment: a file that is missing may be there the next time.
      if (!response.hasError) known.synchronized(known.put(island.key, verdict))
      verdict
    }

  private def read(response: ValidateResponse, island: Island): Verdict =
    if (response.hasError)
      Verdict.Refused(Map(island.command.getRoot -> Seq(Reasons.refused(response.getError.getMessage))))
    else
      response.getActionsList.asScala.filterNot(_.getSupported).groupBy(_.getActionId) match {
        case none if none.isEmpty => Verdict.Supported
        case some => Verdict.Refused(some.map { case (action, refusals) => action -> refusals.map(reason).toSeq })
      }

  private def reason(refusal: ActionSupport): Reason = Reason(refusal.getReason, refusal.getText)
}
