// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/type.h"

#include <arrow/type.h>
#include <gtest/gtest.h>

#include "engine/base/status.h"
#include "engine/columns/frame.h"
#include "engine/columns/type_mapping.h"

namespace shadowvm::columns {
namespace {

TEST(Type, KnowsHowItIsHeld) {
  EXPECT_TRUE(Type::Decimal(18, 2).is_framed());
  EXPECT_TRUE(Type::Decimal(19, 2).is_wide());
  EXPECT_FALSE(Type::Of(TypeKind::kDouble).is_framed());
  EXPECT_EQ(Type::Decimal(12, 2).ToString(), "decimal(12,2)");
}

TEST(Schema, FindsOneNoneOrSeveral) {
  const Schema schema{{{"a", {}, true}, {"b", {}, true}, {"b", {}, true}}};
  EXPECT_EQ(schema.Find("a"), 0);
  EXPECT_EQ(schema.Find("c"), -1);
  EXPECT_EQ(schema.Find("b"), -2);
}

TEST(TypeMapping, GoesThereAndBack) {
  for (int kind = 0; kind <= static_cast<int>(TypeKind::kBinary); ++kind) {
    Type type = Type::Of(static_cast<TypeKind>(kind));
    if (type.is_decimal()) type = Type::Decimal(38, 38);
    EXPECT_EQ(FromArrow(*ToArrow(type), "c").ValueOrDie(), type) << type.ToString();
  }
}

TEST(TypeMapping, WidensWhatHasNoTypeOfItsOwn) {
  EXPECT_EQ(FromArrow(*arrow::uint8(), "c")->kind, TypeKind::kInt16);
  EXPECT_EQ(FromArrow(*arrow::uint32(), "c")->kind, TypeKind::kInt64);
  EXPECT_EQ(FromArrow(*arrow::dictionary(arrow::int8(), arrow::utf8()), "c")->kind,
            TypeKind::kString);
}

TEST(TypeMapping, NamesColumnAndTypeItCannotHold) {
  const auto status = FromArrow(*arrow::list(arrow::int32()), "tags").status();
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kUnsupportedType);
  EXPECT_NE(status.message().find("tags"), std::string::npos);
  EXPECT_NE(status.message().find("list"), std::string::npos);
  EXPECT_FALSE(FromArrow(*arrow::decimal256(39, 0), "d").ok());
  EXPECT_FALSE(FromArrow(*arrow::decimal128(10, -2), "d").ok());
}

TEST(Frame, WidthHoldsTheRange) {
  EXPECT_EQ(FrameWidth(RangeOf(-128, 127)), 1);
  EXPECT_EQ(FrameWidth(RangeOf(0, 256)), 2);
  EXPECT_EQ(FrameWidth(RangeOf(INT32_MIN, INT32_MAX)), 4);
  EXPECT_EQ(FrameWidth(RangeOf(INT64_MIN, INT64_MAX)), 8);
}

}  // namespace
}  // namespace shadowvm::columns
