// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

package org.shadowvm.translate

/** Text that is not compared by bytes stays in Spark. */
class CollationSuite extends TranslateSuite {

  override protected def beforeAll(): Unit = makeTable("t", "s STRING, i STRING COLLATE UTF8_LCASE")

  test("a column with a collation") {
    assert(codesOf("SELECT i FROM t").contains("TYPE"))
    assert(codesOf("SELECT s FROM t").isEmpty)
  }

  test("a collation in an expression") {
    assert(codesOf("SELECT s COLLATE UTF8_LCASE = 'a' FROM t").nonEmpty)
    assert(codesOf("SELECT s FROM t ORDER BY s COLLATE UNICODE").nonEmpty)
  }
}
