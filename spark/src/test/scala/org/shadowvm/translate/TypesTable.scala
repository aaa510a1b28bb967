// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

/** A table with a column of each type, for suites about expressions. */
object TypesTable {
  val schema: String =
    """b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, f FLOAT, d DOUBLE, dec DECIMAL(10,2),
      |dec5 DECIMAL(5,2), wide DECIMAL(38,10), day DATE, ts TIMESTAMP, ntz TIMESTAMP_NTZ, s STRING, bin BINARY,
      |arr ARRAY<INT>, st STRUCT<x: INT>, ym INTERVAL YEAR TO MONTH""".stripMargin
}
