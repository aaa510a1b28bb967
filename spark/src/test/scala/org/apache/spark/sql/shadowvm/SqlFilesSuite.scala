// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.apache.spark.sql.shadowvm

import java.nio.file.{Files, Path}

import scala.collection.JavaConverters._

import org.shadowvm.SqlResources

/**
 * The queries of src/test/resources/sql/features, one file per feature. Each follows a line that says where it runs:
 * `-- node` for all of it, `-- both`, or `-- spark CODE` with a code of the reason.
 */
class SqlFilesSuite extends ShadowSuite {
  SqlResources.files("features").foreach { file =>
    SqlFilesSuite.queries(file).zipWithIndex.foreach { case (SqlFilesSuite.Query(where, sql), index) =>
      test(s"${file.getFileName} ${index + 1}: $where") {
        where match {
          case "node" => runsInNode(sql)
          case "both" => runsInBoth(spark.sql(sql))
          case SqlFilesSuite.InSpark(code) => runsInSpark(code)(spark.sql(sql))
        }
      }
    }
  }
}

object SqlFilesSuite {
  final case class Query(where: String, sql: String)

  private val Where = "-- (node|both|spark [A-Z_]+)".r
  private val InSpark = "spark ([A-Z_]+)".r

  def queries(file: Path): Seq[Query] =
    Files.readAllLines(file).asScala.foldLeft(Vector.empty[Query]) {
      case (queries, Where(where)) => queries :+ Query(where, "")
      case (queries, line) if line.startsWith("--") || line.trim.isEmpty => queries
      case (queries, line) => queries.init :+ queries.last.copy(sql = s"${queries.last.sql}$line\n")
    }
}
