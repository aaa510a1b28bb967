// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/sha256.h"

#include <gtest/gtest.h>

namespace shadowvm::vkernel {
namespace {

TEST(Sha256Test, KnownAnswers) {
  EXPECT_EQ(ToHex(Sha256::Of("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(ToHex(Sha256::Of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ToHex(Sha256::Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(ToHex(Sha256::Of(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PiecesDoNotMatterFieldsDo) {
  EXPECT_EQ(Sha256().Add("ab").Add("c").Finish(), Sha256::Of("abc"));
  EXPECT_NE(Sha256().Field("ab").Field("c").Finish(), Sha256().Field("a").Field("bc").Finish());
}

}  // namespace
}  // namespace shadowvm::vkernel
