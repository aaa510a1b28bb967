// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.vrdd

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

/** The page shows the code that VrddSuite runs. */
class ExamplePageSuite extends AnyFunSuite {
  test("docs/spark.md shows the example as it is") {
    val root = Path.of(System.getProperty("shadowvm.root"))
    val source = Files.readString(root.resolve("spark/src/test/scala/org/shadowvm/vrdd/BrandRevenue.scala"))
    val example = source.split("// docs/spark.md shows what follows.\n").last
    assert(Files.readString(root.resolve("docs/spark.md")).contains(s"```scala\n$example```\n"))
  }
}
