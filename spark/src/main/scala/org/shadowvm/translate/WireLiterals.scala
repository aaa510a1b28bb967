// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import java.math.BigInteger

import scala.util.Try

import com.google.protobuf.ByteString

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.shadowvm.proto.{v1 => wire}

/** Constants on the wire. */
object WireLiterals {

  /** 'value' as Catalyst holds it: UTF8String, Decimal, days, microseconds; null is the null of that type. */
  def of(value: Any, dataType: DataType): Either[Reason, wire.Literal] =
    WireTypes.of(dataType).flatMap { wireType =>
      val literal = wire.Literal.newBuilder().setType(wireType)
      value match {
        case null => Right(literal.build())
        case text: UTF8String => textOf(text).map(literal.setStringValue(_).build())
        case decimal: Decimal => unscaled(decimal, dataType).map(literal.setDecimalValue(_).build())
        case other => Right(withValue(literal, other).build())
      }
    }

  private def withValue(literal: wire.Literal.Builder, value: Any): wire.Literal.Builder = value match {
    case bool: Boolean => literal.setBoolValue(bool)
    case number: Byte => literal.setIntValue(number)
    case number: Short => literal.setIntValue(number)
    case number: Int => literal.setIntValue(number)
    case number: Long => literal.setIntValue(number)
    case number: Float => literal.setDoubleValue(number)
    case number: Double => literal.setDoubleValue(number)
    case bytes: Array[Byte] => literal.setBinaryValue(ByteString.copyFrom(bytes))
  }

  /** Text that is no UTF-8 cannot travel as text. */
  private def textOf(text: UTF8String): Either[Reason, String] = {
    val string = text.toString
    if (UTF8String.fromString(string) == text) Right(string)
    else Left(Reason("TYPE", "a text constant is not valid UTF-8"))
  }

  private val DecimalBytes = 16

  /** The unscaled value in two's complement, lowest byte first. A value may have fewer digits than its type's scale. */
  private def unscaled(decimal: Decimal, dataType: DataType): Either[Reason, ByteString] = {
    val scale = dataType.asInstanceOf[DecimalType].scale
    Try(decimal.toJavaBigDecimal.setScale(scale).unscaledValue).toOption
      .filter(_.bitLength < DecimalBytes * 8)
      .map(littleEndian)
      .toRight(Reason("TYPE", s"the constant $decimal is no ${dataType.sql}"))
  }

  private def littleEndian(number: BigInteger): ByteString = {
    val bigEndian = number.toByteArray
    val bytes = Array.fill[Byte](DecimalBytes)(if (number.signum < 0) -1 else 0)
    bigEndian.indices.foreach(i => bytes(i) = bigEndian(bigEndian.length - 1 - i))
    ByteString.copyFrom(bytes)
  }
}
