// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/answer_json.h"

#include <arrow/array.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type_traits.h>
#include <arrow/util/decimal.h>
#include <arrow/visit_scalar_inline.h>

#include <nlohmann/json.hpp>
#include <type_traits>

namespace shadowvm::cli {
namespace {

// Turns one valid scalar into JSON.
class ValueWriter {
 public:
  explicit ValueWriter(nlohmann::json* value) : value_(value) {}

  template <typename ScalarType>
  base::Status Visit(const ScalarType& scalar) {
    using Type = typename ScalarType::TypeClass;
    if constexpr (arrow::is_number_type<Type>::value && !arrow::is_half_float_type<Type>::value) {
      *value_ = scalar.value;
    } else if constexpr (std::is_same_v<Type, arrow::BooleanType>) {
      *value_ = scalar.value;
    } else if constexpr (arrow::is_string_type<Type>::value) {
      *value_ = std::string(scalar.view());
    } else {
      *value_ = scalar.ToString();
    }
    return base::Status::OK();
  }

  base::Status Visit(const arrow::Decimal128Scalar& scalar) {
    const int32_t scale = static_cast<const arrow::Decimal128Type&>(*scalar.type).scale();
    const auto whole = scalar.value.ToInteger<int64_t>();
    if (scale == 0 && whole.ok()) {
      *value_ = *whole;
    } else {
      *value_ = scalar.value.ToString(scale);
    }
    return base::Status::OK();
  }

 private:
  nlohmann::json* value_;
};

}  // namespace

base::Result<nlohmann::json> RowsToJson(const arrow::Table& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (int64_t row = 0; row < table.num_rows(); ++row) {
    nlohmann::json values = nlohmann::json::array();
    for (const auto& column : table.columns()) {
      SVM_ASSIGN_OR_RETURN(const auto scalar, column->GetScalar(row));
      nlohmann::json value;  // null
      ValueWriter writer(&value);
      if (scalar->is_valid) SVM_RETURN_NOT_OK(arrow::VisitScalarInline(*scalar, &writer));
      values.push_back(std::move(value));
    }
    rows.push_back(std::move(values));
  }
  return rows;
}

}  // namespace shadowvm::cli
