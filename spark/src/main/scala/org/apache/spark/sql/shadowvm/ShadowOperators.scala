// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{BinaryExecNode, LeafExecNode, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * An operator that runs in the node: explained, drawn and measured here, never executed. Columnar, so that Spark puts
 * nothing between it and the [[ShadowResultExec]] above.
 */
sealed trait ShadowOperator extends SparkPlan {

  /** Spark's operator, with Spark's operators below it. */
  def original: SparkPlan

  override def output: Seq[Attribute] = original.output
  override def supportsColumnar: Boolean = true
  override def nodeName: String = "Shadow" + original.nodeName
  override def argString(maxFields: Int): String = original.argString(maxFields)
  override def simpleString(maxFields: Int): String = "Shadow" + original.simpleString(maxFields)
  override def verboseString(maxFields: Int): String = simpleString(maxFields)
  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.create(sparkContext, this)
  override protected def doCanonicalize(): SparkPlan = original.canonicalized
  override protected def doExecute(): RDD[InternalRow] =
    throw new IllegalStateException(s"$nodeName runs in the node and has no rows for Spark")
}

case class ShadowScanExec(original: SparkPlan) extends LeafExecNode with ShadowOperator

case class ShadowFilterExec(original: SparkPlan, child: SparkPlan) extends UnaryExecNode with ShadowOperator {
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

case class ShadowProjectExec(original: SparkPlan, child: SparkPlan) extends UnaryExecNode with ShadowOperator {
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

case class ShadowAggregateExec(original: SparkPlan, child: SparkPlan) extends UnaryExecNode with ShadowOperator {
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

case class ShadowSortExec(original: SparkPlan, child: SparkPlan) extends UnaryExecNode with ShadowOperator {
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

case class ShadowTopNExec(original: SparkPlan, child: SparkPlan) extends UnaryExecNode with ShadowOperator {
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

case class ShadowLimitExec(original: SparkPlan, child: SparkPlan) extends UnaryExecNode with ShadowOperator {
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

/** A broadcast or a shuffle that needs no Spark. No exchange to Spark: adaptive execution would make a stage of it. */
case class ShadowExchangeExec(original: SparkPlan, child: SparkPlan) extends UnaryExecNode with ShadowOperator {
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan = copy(child = newChild)
}

case class ShadowJoinExec(original: SparkPlan, left: SparkPlan, right: SparkPlan)
    extends BinaryExecNode
    with ShadowOperator {
  override protected def withNewChildrenInternal(newLeft: SparkPlan, newRight: SparkPlan): SparkPlan =
    copy(left = newLeft, right = newRight)
}

case class ShadowOtherExec(original: SparkPlan, children: Seq[SparkPlan]) extends ShadowOperator {
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[SparkPlan]): SparkPlan =
    copy(children = newChildren)
}
