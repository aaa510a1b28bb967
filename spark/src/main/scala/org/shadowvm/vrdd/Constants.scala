// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.vrdd

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.{DataType, NullType}
import org.shadowvm.proto.{v1 => wire}
import org.shadowvm.translate.{WireLiterals, WireTypes}

/** Values of Scala and Java on the wire, with the types that Spark gives them. */
private[vrdd] object Constants {
  def of(value: Any): wire.Literal = {
    val literal = Try(Literal(value)).getOrElse(refuse(s"$value of ${value.getClass.getName} is no constant"))
    if (literal.dataType == NullType) refuse("null has no type here: write nullLit(type)")
    typed(literal.value, literal.dataType)
  }

  /** 'value' as Spark holds it inside. */
  def typed(value: Any, dataType: DataType): wire.Literal =
    WireLiterals.of(value, dataType).fold(reason => refuse(reason.text), identity)

  def typeOf(dataType: DataType): wire.Type =
    WireTypes.of(dataType).fold(reason => refuse(reason.text), identity)

  private def refuse(why: String): Nothing = throw new IllegalArgumentException(why)
}
