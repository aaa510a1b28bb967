// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.nio.file.Path

import org.shadowvm.{SqlResources, TestProgram}

/** The benchmarks' queries, of bench/sql, on small data: the rows of plain Spark. */
abstract class BenchmarkRowsSuite(name: String, data: => Path, tables: Seq[String]) extends ShadowSuite {
  override def beforeAll(): Unit = {
    super.beforeAll()
    tables.foreach { table =>
      spark.read.parquet(data.resolve(s"$table.parquet").toString).createOrReplaceTempView(table)
    }
  }

  protected def queries: Seq[Path] = SqlResources.files(name)
}

class SsbRowsSuite
    extends BenchmarkRowsSuite("ssb", TestProgram.ssb, Seq("lineorder", "customer", "supplier", "part", "date")) {
  queries.foreach { query =>
    test(s"${query.getFileName} runs whole in the node")(runsInNode(SqlResources.text(query)))
  }
}

class TpchRowsSuite
    extends BenchmarkRowsSuite(
      "tpch",
      TestProgram.tpch,
      Seq("lineitem", "orders", "customer", "supplier", "part", "partsupp", "nation", "region")) {
  queries.foreach { query =>
    test(s"${query.getFileName} runs whole in the node")(runsInNode(SqlResources.text(query)))
  }
}
