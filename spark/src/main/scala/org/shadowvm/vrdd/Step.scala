// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.vrdd

import java.util.IdentityHashMap

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.PlanTranslator

/** An action of a query, without its id, and those it reads. The same step met twice is computed once. */
private[vrdd] final class Step(val action: wire.Action, val inputs: Seq[Step])

private[vrdd] object Step {
  def command(root: Step, settings: wire.Settings): wire.Command = {
    val command = wire.Command.newBuilder().setProtocolVersion(PlanTranslator.ProtocolVersion).setSettings(settings)
    val ids = number(root, command)
    command.setRoot(ids.get(root)).build()
  }

  /** Inputs first, each once. With a stack of its own: queries may be long. */
  private def number(root: Step, command: wire.Command.Builder): IdentityHashMap[Step, Int] = {
    val ids = new IdentityHashMap[Step, Int]
    var stack = List(root)
    while (stack.nonEmpty) {
      val step = stack.head
      step.inputs.find(!ids.containsKey(_)) match {
        case Some(input) => stack = input :: stack
        case None =>
          if (!ids.containsKey(step)) {
            val id = ids.size + 1
            val action = step.action.toBuilder.setId(id)
            step.inputs.foreach(input => action.addInputs(ids.get(input)))
            command.addActions(action)
            ids.put(step, id)
          }
          stack = stack.tail
      }
    }
    ids
  }
}
