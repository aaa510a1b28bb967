// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate.expression

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.Reason

/** Searches in text, for a constant; and parts of text. */
object TextMatches {

  val rules: Seq[(Class[_], Rule)] = Seq(
    on[StartsWith](search(_, wire.Operator.OPERATOR_STARTS_WITH, _)),
    on[EndsWith](search(_, wire.Operator.OPERATOR_ENDS_WITH, _)),
    on[Contains](search(_, wire.Operator.OPERATOR_CONTAINS, _)),
    on[Like](like),
    on[Substring](substring)
  )

  private def search(node: StringPredicate, operator: wire.Operator, translate: ExpressionTranslator): Translation =
    constant(node, node.right).flatMap(_ => translate.call(operator, node.left, node.right))

  private def like(node: Like, translate: ExpressionTranslator): Translation =
    for {
      pattern <- constant(node, node.right)
      _ <- wellFormed(node, pattern)
      value <- translate(node.left)
    } yield {
      val result = wire.Like.newBuilder().setValue(value).setPattern(pattern).setEscape(node.escapeChar.toString)
      wire.Expression.newBuilder().setLike(result).build()
    }

  private def substring(node: Substring, translate: ExpressionTranslator): Translation =
    if (node.str.dataType != StringType) Left(Reason.use(node, s"not on ${node.str.dataType.sql}"))
    else translate.call(wire.Operator.OPERATOR_SUBSTRING, node.str, node.pos, node.len)

  private def constant(node: Expression, pattern: Expression): Either[Reason, String] = pattern match {
    case Literal(text: UTF8String, StringType) => Right(text.toString)
    case _ => Left(Reason.use(node, "the pattern must be a constant"))
  }

  /** What Spark refuses at run time is Spark's to refuse. */
  private def wellFormed(node: Like, pattern: String): Either[Reason, Unit] = {
    val escape = node.escapeChar
    def plain(from: Int): Boolean = {
      val at = pattern.indexOf(escape, from)
      at < 0 || (at + 1 < pattern.length && ("%_".indexOf(pattern(at + 1)) >= 0 || pattern(at + 1) == escape) &&
        plain(at + 2))
    }
    if (escape >= 0x80 || escape == '%' || escape == '_') Left(Reason.use(node, "this escape character"))
    else if (!plain(0)) Left(Reason.use(node, "the escape character must be followed by %, _ or itself"))
    else Right(())
  }
}
