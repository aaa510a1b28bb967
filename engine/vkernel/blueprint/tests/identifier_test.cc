// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/blueprint/identifier.h"

#include <gtest/gtest.h>

namespace shadowvm::vkernel {
namespace {

TEST(Identifier, PlainNamesStayAsTheyAre) {
  for (const char* name : {"lo_revenue", "d_year", "x", "Price", "c_custkey", "p_brand1"}) {
    EXPECT_EQ(IdentifierFor(name), name);
  }
}

TEST(Identifier, WhatIsNoLetterBecomesAnUnderscore) {
  EXPECT_EQ(IdentifierFor("unit price"), "unit_price");
  EXPECT_EQ(IdentifierFor("a.b-c"), "a_b_c");
  EXPECT_EQ(IdentifierFor("na\u00efve"), "na__ve");
  EXPECT_EQ(IdentifierFor("x\"; system(\"rm\"); //"), "x___system__rm______");
  EXPECT_EQ(IdentifierFor("line\nbreak"), "line_break");
}

TEST(Identifier, StartsWithALetter) {
  EXPECT_EQ(IdentifierFor(""), "c_");
  EXPECT_EQ(IdentifierFor("2024 sales"), "c_2024_sales");
  EXPECT_EQ(IdentifierFor("_hidden"), "c__hidden");
  EXPECT_EQ(IdentifierFor("__reserved"), "c___reserved");
}

TEST(Identifier, WordsOfTheLanguageAreTaken) {
  for (const char* name : {"int", "class", "and", "co_await", "char8_t", "unix", "module"}) {
    EXPECT_EQ(IdentifierFor(name), std::string(name) + "_c");
  }
}

TEST(Identifier, WordsOfTheHeadersAreTaken) {
  // A verb, a type, a macro, a constant and the namespace.
  for (const char* name : {"keep_range", "KernelCall", "SVM_FOR_EACH_TILE", "kNoRow", "shadowvm"}) {
    EXPECT_EQ(IdentifierFor(name), std::string(name) + "_c");
  }
}

TEST(Identifier, WhatRenderersCallTheirOwnIsTaken) {
  for (const char* name :
       {"call", "t", "step", "out_3", "e1", "date_row", "probe_match", "price_null", "x_2"}) {
    EXPECT_EQ(IdentifierFor(name), std::string(name) + "_c");
  }
}

}  // namespace
}  // namespace shadowvm::vkernel
