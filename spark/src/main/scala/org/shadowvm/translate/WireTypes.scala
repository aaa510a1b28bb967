// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import org.apache.spark.sql.types._

import org.shadowvm.proto.{v1 => wire}

/** Spark's types on the wire. Whatever is not listed (nested types, intervals, collations, char) is not supported. */
object WireTypes {

  def of(dataType: DataType): Either[Reason, wire.Type] = dataType match {
    case decimal: DecimalType => decimalOf(decimal)
    case other => simple.get(other).toRight(Reason.dataType(other))
  }

  def isSupported(dataType: DataType): Boolean = of(dataType).isRight

  private val simple: Map[DataType, wire.Type] = Map[DataType, wire.TypeKind](
    BooleanType -> wire.TypeKind.TYPE_KIND_BOOL,
    ByteType -> wire.TypeKind.TYPE_KIND_INT8,
    ShortType -> wire.TypeKind.TYPE_KIND_INT16,
    IntegerType -> wire.TypeKind.TYPE_KIND_INT32,
    LongType -> wire.TypeKind.TYPE_KIND_INT64,
    FloatType -> wire.TypeKind.TYPE_KIND_FLOAT,
    DoubleType -> wire.TypeKind.TYPE_KIND_DOUBLE,
    DateType -> wire.TypeKind.TYPE_KIND_DATE,
    TimestampType -> wire.TypeKind.TYPE_KIND_TIMESTAMP,
    TimestampNTZType -> wire.TypeKind.TYPE_KIND_TIMESTAMP_NTZ,
    StringType -> wire.TypeKind.TYPE_KIND_STRING,
    BinaryType -> wire.TypeKind.TYPE_KIND_BINARY
  ).map { case (dataType, kind) => dataType -> wire.Type.newBuilder().setKind(kind).build() }

  /** Negative scales are a legacy of Spark's. */
  private def decimalOf(decimal: DecimalType): Either[Reason, wire.Type] =
    if (decimal.scale < 0 || decimal.scale > decimal.precision) Left(Reason.dataType(decimal))
    else {
      val kind = wire.TypeKind.TYPE_KIND_DECIMAL
      Right(wire.Type.newBuilder().setKind(kind).setPrecision(decimal.precision).setScale(decimal.scale).build())
    }
}
