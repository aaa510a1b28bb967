// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.Reason

/** Expressions that evaluate one of several. */
object Choices {

  val rules: Seq[(Class[_], Rule)] = Seq(
    on[If]((node, translate) =>
      oneType(node, Seq(node.trueValue, node.falseValue)).flatMap { _ =>
        translate.call(wire.Operator.OPERATOR_IF, node.predicate, node.trueValue, node.falseValue)
      }),
    on[Coalesce]((node, translate) =>
      oneType(node, node.children).flatMap(_ => translate.call(wire.Operator.OPERATOR_COALESCE, node.children: _*))),
    on[CaseWhen](caseWhen)
  )

  private def caseWhen(node: CaseWhen, translate: ExpressionTranslator): Translation =
    for {
      _ <- oneType(node, node.branches.map(_._2) ++ node.elseValue)
      conditions <- translate.all(node.branches.map(_._1))
      values <- translate.all(node.branches.map(_._2))
      otherwise <- translate.all(node.elseValue.toSeq)
    } yield {
      val result = wire.Case.newBuilder()
      conditions.zip(values).foreach { case (condition, value) =>
        result.addBranches(wire.Case.Branch.newBuilder().setCondition(condition).setValue(value))
      }
      otherwise.foreach(value => result.setOtherwise(value))
      wire.Expression.newBuilder().setCase(result).build()
    }

  /** The node would find a common type by itself, and might find another than Spark's. */
  private def oneType(node: Expression, values: Seq[Expression]): Either[Reason, Unit] =
    if (values.forall(_.dataType == node.dataType)) Right(())
    else Left(Reason.use(node, "its values have different types"))
}
