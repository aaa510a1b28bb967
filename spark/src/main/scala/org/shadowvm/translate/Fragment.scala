// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import org.apache.spark.sql.execution.SparkPlan

import org.shadowvm.proto.{v1 => wire}

/**
 * What one Spark operator becomes: actions in a row, without ids and inputs yet. The first reads the results of
 * 'inputs', each other one that of the one before; none at all: the operator vanishes.
 *
 * @param columns of the last action's result; they may be more than the operator's output, in another order
 * @param standsAlone false for half an operator, which has a meaning only below its other half
 * @param wiring where it is no row: for each action what it reads, by place; the inputs come first, then the actions
 */
final case class Fragment(
    inputs: Seq[SparkPlan],
    actions: Seq[wire.Action],
    columns: Columns,
    standsAlone: Boolean = true,
    wiring: Seq[Seq[Int]] = Nil)
