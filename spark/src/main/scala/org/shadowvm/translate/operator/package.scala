// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import scala.reflect.ClassTag

import org.apache.spark.sql.execution.SparkPlan

package object operator {

  type Outcome = Either[Seq[Reason], Fragment]

  /** How one class of operators is translated. */
  type OperatorRule = (SparkPlan, PlanSupport) => Outcome

  def on[P <: SparkPlan: ClassTag](rule: (P, PlanSupport) => Outcome): (Class[_], OperatorRule) =
    implicitly[ClassTag[P]].runtimeClass -> ((node, support) => rule(node.asInstanceOf[P], support))

  /** All of them, or every reason. */
  def collectAll[T](results: Seq[Either[Reason, T]]): Either[Seq[Reason], Seq[T]] = {
    val reasons = results.collect { case Left(reason) => reason }
    if (reasons.nonEmpty) Left(reasons.distinct) else Right(results.collect { case Right(value) => value })
  }
}
