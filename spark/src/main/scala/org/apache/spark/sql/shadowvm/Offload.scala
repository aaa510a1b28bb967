// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.util.IdentityHashMap

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.exchange.Exchange
import org.shadowvm.node.{NodeAway, NodeClient, NodeFailure}
import org.shadowvm.settings.ShadowSettings
import org.shadowvm.translate.{PlanSupport, PlanTranslator, Reason, SessionFacts, Translated}

/**
 * Finds the islands of one plan: the largest subtrees, from the scans up, that run in the node. An island has no input
 * from Spark and one output, so that it costs one change from columns to rows and no other. Every operator left out
 * gets its reasons.
 */
private[shadowvm] final class Offload(session: SparkShim.Session, runtime: ShadowRuntime, settings: ShadowSettings) {
  private val support = new PlanSupport(
    new SessionFacts(
      session.sessionState.conf,
      settings.strictFloat,
      settings.operatorEnabled,
      settings.expressionEnabled))
  private val refusals = new IdentityHashMap[SparkPlan, Seq[Reason]]
  private val aboveStages = new IdentityHashMap[SparkPlan, java.lang.Boolean]
  private lazy val found: Either[Reason, NodeClient] =
    if (!Hosts.one(session.sparkContext)) Left(Reasons.SeveralHosts)
    else runtime.nodes.client().left.map(Reasons.noNode)
  private var loss: Option[Reason] = None

  /** One that was lost while this plan was looked at is not asked again: each time might take as long. */
  private def node: Either[Reason, NodeClient] = loss.toLeft(()).flatMap(_ => found)

  /** What would run in a node can be told without one. */
  private def noNode: Option[Reason] = if (settings.explainOnly) None else node.left.toOption

  def apply(plan: SparkPlan): SparkPlan = visit(plan, relied = false, root = true)

  /**
   * @param relied
   *   operators above rely on the layout of this one's rows
   * @param root
   *   this one gives the rows of the query
   */
  private def visit(plan: SparkPlan, relied: Boolean, root: Boolean): SparkPlan = plan match {
    case done: ShadowResultExec => done
    case _ if !whole(plan) =>
      // An operator above a stage that Spark has run says what it said before.
      if (!aboveStage(plan) || Reasons.of(plan).isEmpty) Reasons.put(plan, whyNot(plan))
      descend(plan, relied, root)
    case _ => island(plan, relied, root)
  }

  private def whole(plan: SparkPlan): Boolean =
    support.wholeSubtree(plan) && (refusals.isEmpty || !plan.exists(refusals.containsKey))

  private def whyNot(plan: SparkPlan): Seq[Reason] =
    Option(refusals.get(plan)).getOrElse(ownReasons(plan)) match {
      case Nil if plan.isInstanceOf[Exchange] => Seq(Reasons.ExchangeForSpark)
      case Nil if plan.children.nonEmpty && plan.children.forall(whole) => Seq(Reasons.HalfAnOperator)
      case Nil => Seq(Reasons.InputInSpark)
      case own => own
    }

  /** An aggregate whose first half Spark has run as a stage is no aggregate of many phases. */
  private def ownReasons(plan: SparkPlan): Seq[Reason] = {
    val reasons = support.reasons(plan)
    if (aboveStage(plan)) reasons.filterNot(_.code == "AGGREGATE_PHASES") else reasons
  }

  private def aboveStage(plan: SparkPlan): Boolean =
    aboveStages.computeIfAbsent(plan, _ => Boolean.box(isStage(plan) || plan.children.exists(aboveStage)))

  private def isStage(plan: SparkPlan): Boolean = plan.isInstanceOf[QueryStageExec]

  private def descend(plan: SparkPlan, relied: Boolean, root: Boolean): SparkPlan = {
    val children = plan.children.zipWithIndex.map { case (child, at) =>
      visit(child, Layout.reliesOn(plan, at, relied), root && Layout.passesRowsOn(plan))
    }
    plan.withNewChildren(children)
  }

  private def island(plan: SparkPlan, relied: Boolean, root: Boolean): SparkPlan =
    Layout.cannotEndAt(plan, relied) match {
      case Some(reason) =>
        Reasons.put(plan, Seq(reason))
        descend(plan, relied, root)
      case None =>
        Worth.against(plan, root, support.inputBytes(plan), settings).orElse(noNode) match {
          case Some(reason) =>
            Reasons.putOnAll(plan, reason)
            plan
          case None => translated(plan, relied, root)
        }
    }

  private def translated(plan: SparkPlan, relied: Boolean, root: Boolean): SparkPlan =
    PlanTranslator.translate(plan, support) match {
      case Left(reasons) =>
        refusals.put(plan, reasons)
        visit(plan, relied, root)
      case Right(translation) => judged(plan, translation, relied, root)
    }

  /** Asks the node. What it refuses is cut off, and the rest is tried again. */
  private def judged(plan: SparkPlan, translation: Translated, relied: Boolean, root: Boolean): SparkPlan = {
    val island = new Island(translation, values => PlanTranslator.translate(plan, support.withValues(values)))
    verdict(island) match {
      case _ if noNode.isDefined => // It has gone meanwhile.
        Reasons.putOnAll(plan, noNode.get)
        plan
      case Verdict.Supported if settings.explainOnly =>
        Reasons.putOnAll(plan, Reasons.ExplainOnly)
        plan
      case Verdict.Supported => ShadowTree.of(plan, island)
      case Verdict.Refused(byAction) =>
        byAction.foreach { case (action, reasons) =>
          val operator = translation.planOf.getOrElse(action, plan)
          // Its scan may stand for several operators; the island must shrink in any case.
          refusals.put(if (plan.exists(_ eq operator)) operator else plan, reasons)
        }
        visit(plan, relied, root)
    }
  }

  private def verdict(island: Island): Verdict =
    try node.fold(_ => Verdict.Supported, runtime.verdicts.of(_, island))
    catch {
      case away: NodeAway =>
        runtime.nodes.lost(away)
        loss = Some(Reasons.noNode(away.getMessage))
        Verdict.Supported
      case failure: NodeFailure =>
        Verdict.Refused(Map(island.command.getRoot -> Seq(Reasons.refused(failure.getMessage))))
    }
}
