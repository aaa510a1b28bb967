// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

import java.nio.file.{Files, Path}

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.shadowvm.SparkShim
import org.apache.spark.sql.types.StructType
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import org.shadowvm.SqlResources
import org.shadowvm.settings.ShadowSettings

/** Plans of a local Spark, translated; no node is needed. */
trait TranslateSuite extends AnyFunSuite with BeforeAndAfterAll {

  protected lazy val spark: SparkSession = SparkSession.builder()
    .master("local[1]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.session.timeZone", "UTC")
    .getOrCreate()

  protected lazy val folder: Path = Files.createTempDirectory("shadowvm-translate")

  override protected def afterAll(): Unit =
    try spark.stop()
    finally {
      val paths = Files.walk(folder)
      try paths.sorted(java.util.Comparator.reverseOrder[Path]()).forEach(path => Files.delete(path))
      finally paths.close()
    }

  /** A table of one empty Parquet file, as a view. */
  protected def makeTable(name: String, schema: String): Unit = {
    val path = folder.resolve(name).toString
    spark.createDataFrame(new java.util.ArrayList[Row](), StructType.fromDDL(schema)).coalesce(1).write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView(name)
  }

  protected def sqlFile(name: String): String =
    SqlResources.text(Path.of(getClass.getResource(s"/sql/$name.sql").toURI))

  protected def queries(folder: String): Seq[String] =
    SqlResources.files(folder).map(_.getFileName.toString.stripSuffix(".sql"))

  /** With these settings of the session for the time of 'body'. */
  protected def withSettings[T](settings: (String, String)*)(body: => T): T = {
    val before = settings.map { case (key, _) => key -> spark.conf.getOption(key) }
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally before.foreach {
      case (key, Some(value)) => spark.conf.set(key, value)
      case (key, None) => spark.conf.unset(key)
    }
  }

  /** The plan as our rule sees it: before any stage has run. */
  protected def planOf(sql: String): SparkPlan =
    spark.asInstanceOf[SparkShim.Session].sql(sql).queryExecution.executedPlan match {
      case adaptive: AdaptiveSparkPlanExec => adaptive.initialPlan
      case plan => plan
    }

  protected def support: PlanSupport = supportIn(SPARK_VERSION)

  protected def supportIn(version: String): PlanSupport = {
    val conf = spark.asInstanceOf[SparkShim.Session].sessionState.conf
    val settings = ShadowSettings.of(conf)
    new PlanSupport(
      new SessionFacts(conf, settings.strictFloat, settings.operatorEnabled, settings.expressionEnabled, version))
  }

  protected def translated(sql: String): Translated = translated(planOf(sql))

  protected def translated(plan: SparkPlan): Translated = PlanTranslator.translate(plan, support) match {
    case Right(translated) => translated
    case Left(reasons) => fail(s"${reasons.mkString("\n")}\n$plan")
  }

  protected def commandOf(sql: String): Seq[String] = CommandText.of(translated(sql).command)

  /** The codes of all reasons in the query's plan. */
  protected def codesOf(sql: String): Set[String] = codesOf(planOf(sql))

  protected def codesOf(plan: SparkPlan): Set[String] = PlanTranslator.translate(plan, support) match {
    case Right(_) => Set.empty
    case Left(reasons) => reasons.map(_.code).toSet
  }
}
