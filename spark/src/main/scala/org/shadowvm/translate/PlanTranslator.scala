// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import java.util.IdentityHashMap

import scala.collection.mutable

import org.apache.spark.sql.execution.{ScalarSubquery, SparkPlan}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.expression.ExpressionTranslator

/**
 * A command, and for each of its actions the Spark operator that it came from.
 *
 * @param subqueries whose values the command holds
 */
final case class Translated(
    command: wire.Command,
    planOf: Map[Int, SparkPlan],
    subqueries: Seq[ScalarSubquery] = Nil)

/** Puts the fragments of a supported subtree together. */
object PlanTranslator {

  val ProtocolVersion = 1

  /** The command whose rows are the subtree's, column for column. Left: every reason of every operator in it. */
  def translate(subtree: SparkPlan, support: PlanSupport): Either[Seq[Reason], Translated] =
    if (!support.wholeSubtree(subtree)) Left(allReasons(subtree, support))
    else Right(new Assembly(support).run(subtree).copy(subqueries = subqueriesOf(subtree, support)))

  /** Not all that are there: Spark puts some where they save work and change no rows. */
  private def subqueriesOf(subtree: SparkPlan, support: PlanSupport): Seq[ScalarSubquery] =
    if (!asksSubqueries(subtree)) Nil
    else {
      val recorder = new SubqueryValues.Recorder
      new Assembly(support.withValues(recorder)).run(subtree)
      recorder.asked
    }

  private def asksSubqueries(subtree: SparkPlan): Boolean = subtree.exists {
    case reused: ReusedExchangeExec => asksSubqueries(reused.child)
    case node => node.expressions.exists(_.exists(_.isInstanceOf[ScalarSubquery]))
  }

  private def allReasons(subtree: SparkPlan, support: PlanSupport): Seq[Reason] = {
    val found = subtree.collect { case node => support.reasons(node) }.flatten.distinct
    if (found.nonEmpty) found
    else Seq(Reason("ROOT", s"${subtree.nodeName} cannot be the last operator that runs in the node"))
  }

  private final class Assembly(support: PlanSupport) {
    private val command = wire.Command.newBuilder().setProtocolVersion(ProtocolVersion)
    private val planOf = mutable.Map.empty[Int, SparkPlan]
    private val resultOf = new IdentityHashMap[SparkPlan, Integer]()

    def run(subtree: SparkPlan): Translated = {
      val last = add(subtree)
      val root = if (support.columnsOf(subtree).are(subtree.output)) last else addOutputMap(subtree, last)
      command.setSettings(support.session.wireSettings).setRoot(root)
      Translated(command.build(), planOf.toMap)
    }

    /** The id of the action that gives the node's rows. A node that is met again is not computed again. */
    private def add(node: SparkPlan): Int = {
      val known = resultOf.get(node)
      if (known != null) known
      else {
        val fragment = support.fragment(node).fold(_ => throw new IllegalStateException(node.nodeName), identity)
        val results = fragment.inputs.map(add).toBuffer
        fragment.actions.zipWithIndex.foreach { case (action, at) =>
          val reads = if (fragment.wiring.nonEmpty) fragment.wiring(at).map(results)
          else if (at == 0) results.toList
          else Seq(results.last)
          results += addAction(action, reads, node)
        }
        val result = if (fragment.actions.isEmpty) results.head else results.last
        resultOf.put(node, result)
        result
      }
    }

    private def addAction(action: wire.Action, inputs: Seq[Int], node: SparkPlan): Int = {
      val id = planOf.size
      val numbered = action.toBuilder.setId(id)
      inputs.foreach(input => numbered.addInputs(input))
      command.addActions(numbered)
      planOf(id) = node
      id
    }

    private def addOutputMap(subtree: SparkPlan, input: Int): Int = {
      val columns = support.columnsOf(subtree)
      val map = wire.Map.newBuilder()
      subtree.output.foreach { attribute =>
        val column = ExpressionTranslator.column(columns.ordinalOf(attribute.exprId).get)
        map.addExpressions(wire.NamedExpression.newBuilder().setName(attribute.name).setExpression(column))
      }
      addAction(wire.Action.newBuilder().setMap(map).build(), Seq(input), subtree)
    }
  }
}
