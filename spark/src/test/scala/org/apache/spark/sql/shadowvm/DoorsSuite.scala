// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.io.ByteArrayInputStream
import java.nio.channels.Channels

import scala.collection.JavaConverters._

import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.ipc.ReadChannel
import org.apache.arrow.vector.ipc.message.MessageSerializer
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.util.LongAccumulator
import org.shadowvm.ShadowReport

/** Every way rows leave a DataFrame: each takes another door of ours. */
abstract class DoorsSuite extends ShadowSuite {
  private val byProduct = "SELECT s_product, sum(s_price) AS total, count(s_quantity) AS n FROM sales GROUP BY s_product"
  private val sorted = byProduct + " ORDER BY s_product"

  private def sorting(rows: Seq[Row]): Seq[String] = rows.map(_.toString).sorted

  /** The door's outcome is the same on and off, and the query ran in the node. */
  private def sameThrough[T](sql: String)(door: DataFrame => T): Unit = {
    val expected = inSparkOnly(door(spark.sql(sql)))
    val query = spark.sql(sql)
    assert(door(query) == expected)
    assert(ShadowReport.of(query).whole, ShadowReport.of(query))
  }

  test("collect")(runsInNode(byProduct))

  test("collect, in the order that was asked for")(runsInNode(sorted))

  test("collect twice: planned once, run twice") {
    val query = spark.sql(sorted)
    assert(query.collect().toSeq == query.collect().toSeq)
  }

  test("take and head of a sorted query") {
    assert(spark.sql(sorted).take(3).toSeq == inSparkOnly(spark.sql(sorted).take(3).toSeq))
  }

  test("ORDER BY with LIMIT is one operator") {
    runsInNode("SELECT s_id, s_price FROM sales WHERE s_price > 99 ORDER BY s_price DESC, s_id LIMIT 7")
  }

  test("take of an unsorted query gives so many rows of it") {
    val all = sorting(inSparkOnly(spark.sql(byProduct).collect()).toSeq).toSet
    val rows = sorting(spark.sql(byProduct).take(5).toSeq)
    assert(rows.size == 5 && rows.toSet.subsetOf(all))
  }

  test("show") {
    val text = TestShim.shown(spark.sql(sorted), 5)
    assert(text == inSparkOnly(TestShim.shown(spark.sql(sorted), 5)))
  }

  test("tail")(sameThrough(sorted)(_.tail(4).toSeq))

  test("count")(assert(spark.sql(byProduct).count() == 40 && spark.table("sales").count() == TestTables.NumSales))

  test("isEmpty") {
    assert(!spark.sql(byProduct).isEmpty)
    assert(spark.sql(byProduct + " HAVING s_product < 0").isEmpty)
  }

  test("toLocalIterator")(sameThrough(sorted)(_.toLocalIterator().asScala.toList))

  test("the RDD of rows")(sameThrough(sorted)(_.rdd.collect().toSeq))

  test("rows as Arrow batches, as toPandas asks for them") {
    sameThrough(sorted)(query => TestShim.arrowBatches(query).map(DoorsSuite.numRows).sum)
  }

  test("foreachPartition") {
    def total(query: DataFrame): Long = {
      val sum = spark.sparkContext.longAccumulator
      query.foreachPartition(DoorsSuite.addAll(sum))
      sum.value
    }
    sameThrough(sorted)(total)
  }

  test("cache, and a query on it") {
    val query = spark.sql(byProduct).cache()
    try {
      val rows = query.where("s_product < 3").collect()
      assert(ShadowReport.of(query.where("s_product < 3")).accelerated > 0)
      assert(sorting(rows.toSeq) == sorting(inSparkOnly(spark.sql(byProduct).where("s_product < 3").collect()).toSeq))
    } finally query.unpersist(blocking = true)
  }

  test("write") {
    val target = folder.resolve("written").toString
    spark.sql(byProduct).write.mode("overwrite").parquet(target)
    val written = inSparkOnly(spark.read.parquet(target).collect())
    assert(sorting(written.toSeq) == sorting(inSparkOnly(spark.sql(byProduct).collect()).toSeq))
  }

  test("write, partitioned by a column") {
    val target = folder.resolve("partitioned").toString
    spark.sql(byProduct).write.mode("overwrite").partitionBy("s_product").parquet(target)
    val written = inSparkOnly(spark.read.parquet(target).select("s_product", "total", "n").collect())
    assert(sorting(written.toSeq) == sorting(inSparkOnly(spark.sql(byProduct).collect()).toSeq))
  }

  test("the same query twice in one") {
    val before = node.status().getQueriesDone
    val report = compare(s"$byProduct UNION ALL $byProduct")
    assert(report.accelerated > 0, report)
    assert(node.status().getQueriesDone == before + 1, "the node should have run it once")
  }

  test("the same query broadcast twice, by other keys") {
    spark.udf.register("same", (n: Long) => n)
    val perProduct = "SELECT s_product, max(s_id) AS last FROM sales GROUP BY s_product"
    def query: DataFrame = spark.sql(s"""
      SELECT /*+ BROADCAST(a, b) */ p.id, a.last, b.s_product FROM (SELECT same(id) AS id FROM range(50)) p
      JOIN ($perProduct) a ON p.id = a.s_product JOIN ($perProduct) b ON p.id + 19950 = b.last""")
    val before = node.status().getQueriesDone
    // Each side would be told that its own keys are not null.
    val report = withSetting("spark.sql.constraintPropagation.enabled", "false")(compare(query))
    assert(report.accelerated > 0, report)
    assert(node.status().getQueriesDone == before + 1, "the node should have run it once")
  }

  test("an empty answer")(runsInNode("SELECT s_product, count(*) FROM sales WHERE s_id < 0 GROUP BY s_product"))
}

object DoorsSuite {
  private def numRows(batch: Array[Byte]): Int = {
    val allocator = new RootAllocator()
    try {
      val channel = new ReadChannel(Channels.newChannel(new ByteArrayInputStream(batch)))
      val read = MessageSerializer.deserializeRecordBatch(channel, allocator)
      try read.getLength
      finally read.close()
    } finally allocator.close()
  }

  private def addAll(sum: LongAccumulator): Iterator[Row] => Unit = _.foreach(row => sum.add(row.getLong(2)))
}

class AdaptiveDoorsSuite extends DoorsSuite

class PlainDoorsSuite extends DoorsSuite {
  override protected def adaptive: Boolean = false
}

class DirectDoorsSuite extends DoorsSuite {
  override protected def settings: Map[String, String] = Map("spark.shadowvm.directCollect" -> "true")
}
