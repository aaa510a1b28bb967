// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import org.shadowvm.proto.{v1 => wire}

/** Commands as text that a test can hold: one line per action. */
object CommandText {

  def of(command: wire.Command): Seq[String] = all(command.getActionsList).map { action =>
    val inputs = all(action.getInputsList).mkString("(", ",", ")")
    s"${action.getId}$inputs ${actionOf(action)}"
  }

  def of(expression: wire.Expression): String = expression.getKindCase match {
    case wire.Expression.KindCase.COLUMN => s"#${expression.getColumn.getOrdinal}"
    case wire.Expression.KindCase.LITERAL => literal(expression.getLiteral)
    case wire.Expression.KindCase.CALL =>
      val call = expression.getCall
      s"${word(call.getOperator, "OPERATOR_")}${mode(call.getEvalMode)}${list(all(call.getArgsList).map(of(_)))}"
    case wire.Expression.KindCase.CAST =>
      val cast = expression.getCast
      s"cast${mode(cast.getEvalMode)}(${of(cast.getArg)} as ${typeOf(cast.getType)})"
    case wire.Expression.KindCase.CASE =>
      val branches = all(expression.getCase.getBranchesList)
        .map(branch => s"${of(branch.getCondition)} -> ${of(branch.getValue)}")
      val otherwise = if (expression.getCase.hasOtherwise) Seq(of(expression.getCase.getOtherwise)) else Nil
      s"case${list(branches ++ otherwise)}"
    case wire.Expression.KindCase.IN_LIST =>
      val in = expression.getInList
      s"${of(in.getValue)} in ${list(all(in.getItemsList).map(literal))}"
    case wire.Expression.KindCase.LIKE => s"${of(expression.getLike.getValue)} like ${expression.getLike.getPattern}"
    case other => other.toString
  }

  private def actionOf(action: wire.Action): String = action.getKindCase match {
    case wire.Action.KindCase.SCAN =>
      val files = action.getScan.getFileList
      val fields = all(files.getDataFieldsList) ++ all(files.getPartitionFieldsList)
      s"scan ${fields.map(_.getName).mkString(", ")}"
    case wire.Action.KindCase.FILTER => s"filter ${all(action.getFilter.getConditionsList).map(of(_)).mkString(", ")}"
    case wire.Action.KindCase.MAP => s"map ${all(action.getMap.getExpressionsList).map(named).mkString(", ")}"
    case wire.Action.KindCase.JOIN =>
      val join = action.getJoin
      val keys = all(join.getLeftKeysList).zip(all(join.getRightKeysList))
        .map { case (left, right) => s"${of(left)} = ${of(right)}" }
      s"join ${word(join.getKind, "JOIN_KIND_")} build ${word(join.getBuildSide, "BUILD_SIDE_")} ${keys.mkString(", ")}"
    case wire.Action.KindCase.AGGREGATE =>
      val keys = all(action.getAggregate.getKeysList).map(named)
      val calls = all(action.getAggregate.getAggregatesList).map { call =>
        val argument = if (call.hasArgument) of(call.getArgument) else ""
        s"${word(call.getFunction, "AGGREGATE_FUNCTION_")}${mode(call.getEvalMode)}($argument)"
      }
      s"aggregate ${keys.mkString(", ")}; ${calls.mkString(", ")}"
    case wire.Action.KindCase.SORT => s"sort ${all(action.getSort.getKeysList).map(sortKey).mkString(", ")}"
    case wire.Action.KindCase.LIMIT => s"limit ${action.getLimit.getCount} offset ${action.getLimit.getOffset}"
    case wire.Action.KindCase.TOP_N =>
      val top = action.getTopN
      s"top ${top.getCount} offset ${top.getOffset} by ${all(top.getKeysList).map(sortKey).mkString(", ")}"
    case other => other.toString
  }

  private def all[T](list: java.util.List[T]): Seq[T] = Seq.tabulate(list.size)(i => list.get(i))

  private def named(named: wire.NamedExpression): String = s"${named.getName}: ${of(named.getExpression)}"

  private def sortKey(key: wire.SortKey): String =
    s"${of(key.getExpression)}${if (key.getDescending) " desc" else ""} ${word(key.getNullOrder, "NULL_ORDER_")}"

  private def literal(literal: wire.Literal): String = {
    val value = literal.getValueCase match {
      case wire.Literal.ValueCase.VALUE_NOT_SET => "null"
      case wire.Literal.ValueCase.BOOL_VALUE => literal.getBoolValue.toString
      case wire.Literal.ValueCase.INT_VALUE => literal.getIntValue.toString
      case wire.Literal.ValueCase.DOUBLE_VALUE => literal.getDoubleValue.toString
      case wire.Literal.ValueCase.STRING_VALUE => s"'${literal.getStringValue}'"
      case wire.Literal.ValueCase.DECIMAL_VALUE => unscaled(literal).toString
      case wire.Literal.ValueCase.BINARY_VALUE => literal.getBinaryValue.toString
    }
    s"$value:${typeOf(literal.getType)}"
  }

  private def unscaled(literal: wire.Literal): BigInt = {
    val bytes = literal.getDecimalValue.toByteArray
    require(bytes.length == 16, s"${bytes.length} bytes")
    BigInt(bytes.reverse)
  }

  private def typeOf(dataType: wire.Type): String = {
    val kind = word(dataType.getKind, "TYPE_KIND_")
    if (kind == "decimal") s"decimal(${dataType.getPrecision},${dataType.getScale})" else kind
  }

  private def mode(mode: wire.EvalMode): String =
    if (mode == wire.EvalMode.EVAL_MODE_UNSPECIFIED) "" else s"[${word(mode, "EVAL_MODE_")}]"

  private def word(value: Enum[_], prefix: String): String = value.name.stripPrefix(prefix).toLowerCase

  private def list(parts: Iterable[String]): String = parts.mkString("(", ", ", ")")
}
