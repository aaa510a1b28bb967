// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/arrow_values.h"

#include <arrow/api.h>
#include <arrow/util/decimal.h>

#include <cstring>
#include <string>

namespace shadowvm::columns {
namespace {

constexpr int64_t kMillisPerDay = 86'400'000;

base::Status DoesNotFit(const arrow::Array& array) {
  return base::MakeError(base::ErrorCode::kCastOverflow,
                         "a value of type " + array.type()->ToString() + " does not fit");
}

int64_t FloorDivide(int64_t value, int64_t by) {
  const int64_t quotient = value / by;
  return quotient - (value % by != 0 && (value < 0) != (by < 0));
}

// out[i] = convert(value i) for valid rows; convert returns false when a value does not fit.
template <typename ArrayType, typename Out, typename Convert>
base::Status ReadEach(const arrow::Array& array, Out* out, Convert convert) {
  const auto& typed = static_cast<const ArrayType&>(array);
  for (int64_t i = 0; i < array.length(); ++i) {
    out[i] = 0;
    if (typed.IsValid(i) && !convert(typed.Value(i), &out[i])) return DoesNotFit(array);
  }
  return base::Status::OK();
}

template <typename ArrayType>
base::Status ReadPlain(const arrow::Array& array, int64_t* out) {
  return ReadEach<ArrayType>(array, out, [](auto value, int64_t* to) {
    *to = static_cast<int64_t>(value);
    return true;
  });
}

base::Status ReadTimestamps(const arrow::Array& array, int64_t* out) {
  const auto unit = static_cast<const arrow::TimestampType&>(*array.type()).unit();
  const auto scaled = [&](int64_t factor) {
    return ReadEach<arrow::TimestampArray>(array, out, [=](int64_t value, int64_t* to) {
      return !__builtin_mul_overflow(value, factor, to);
    });
  };
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return scaled(1'000'000);
    case arrow::TimeUnit::MILLI:
      return scaled(1'000);
    case arrow::TimeUnit::MICRO:
      return scaled(1);
    default:
      return ReadEach<arrow::TimestampArray>(array, out, [](int64_t value, int64_t* to) {
        *to = FloorDivide(value, 1'000);
        return true;
      });
  }
}

// Sign-extends the little-endian integer of 'width' bytes; false when it needs more than 128 bits.
bool LoadDecimal(const uint8_t* bytes, int width, Int128* out) {
  uint8_t wide[32];
  std::memset(wide, (bytes[width - 1] & 0x80) != 0 ? 0xff : 0, sizeof(wide));
  std::memcpy(wide, bytes, width);
  std::memcpy(out, wide, sizeof(*out));
  const uint8_t sign = (wide[15] & 0x80) != 0 ? 0xff : 0;
  for (int i = 16; i < 32; ++i) {
    if (wide[i] != sign) return false;
  }
  return true;
}

template <typename ArrayType>
void ReadViews(const arrow::Array& array, std::vector<std::string_view>* out) {
  const auto& typed = static_cast<const ArrayType&>(array);
  for (int64_t i = 0; i < array.length(); ++i) {
    out->push_back(typed.IsValid(i) ? typed.GetView(i) : std::string_view());
  }
}

}  // namespace

base::Status ReadWide(const arrow::Array& array, Int128* out) {
  const auto& typed = static_cast<const arrow::FixedSizeBinaryArray&>(array);
  for (int64_t i = 0; i < array.length(); ++i) {
    out[i] = 0;
    if (typed.IsNull(i)) continue;
    if (!LoadDecimal(typed.GetValue(i), typed.byte_width(), &out[i])) return DoesNotFit(array);
  }
  return base::Status::OK();
}

base::Status ReadFramed(const arrow::Array& array, int64_t* out) {
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return ReadPlain<arrow::BooleanArray>(array, out);
    case arrow::Type::INT8:
      return ReadPlain<arrow::Int8Array>(array, out);
    case arrow::Type::UINT8:
      return ReadPlain<arrow::UInt8Array>(array, out);
    case arrow::Type::INT16:
      return ReadPlain<arrow::Int16Array>(array, out);
    case arrow::Type::UINT16:
      return ReadPlain<arrow::UInt16Array>(array, out);
    case arrow::Type::INT32:
      return ReadPlain<arrow::Int32Array>(array, out);
    case arrow::Type::UINT32:
      return ReadPlain<arrow::UInt32Array>(array, out);
    case arrow::Type::INT64:
      return ReadPlain<arrow::Int64Array>(array, out);
    case arrow::Type::UINT64:
      return ReadEach<arrow::UInt64Array>(array, out, [](uint64_t value, int64_t* to) {
        *to = static_cast<int64_t>(value);
        return value <= static_cast<uint64_t>(INT64_MAX);
      });
    case arrow::Type::DATE32:
      return ReadPlain<arrow::Date32Array>(array, out);
    case arrow::Type::DATE64:
      return ReadEach<arrow::Date64Array>(array, out, [](int64_t value, int64_t* to) {
        *to = FloorDivide(value, kMillisPerDay);
        return *to >= INT32_MIN && *to <= INT32_MAX;
      });
    case arrow::Type::TIMESTAMP:
      return ReadTimestamps(array, out);
    default: {
      std::vector<Int128> wide(array.length());
      SVM_RETURN_NOT_OK(ReadWide(array, wide.data()));
      for (size_t i = 0; i < wide.size(); ++i) {
        out[i] = static_cast<int64_t>(wide[i]);
        if (out[i] != wide[i]) return DoesNotFit(array);
      }
      return base::Status::OK();
    }
  }
}

void ReadTexts(const arrow::Array& array, std::vector<std::string_view>* out) {
  switch (array.type_id()) {
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return ReadViews<arrow::LargeBinaryArray>(array, out);
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
      return ReadViews<arrow::BinaryViewArray>(array, out);
    case arrow::Type::FIXED_SIZE_BINARY:
      return ReadViews<arrow::FixedSizeBinaryArray>(array, out);
    default:
      return ReadViews<arrow::BinaryArray>(array, out);
  }
}

base::Result<std::shared_ptr<arrow::Array>> WithoutDictionary(std::shared_ptr<arrow::Array> array) {
  if (array->type_id() != arrow::Type::DICTIONARY) return array;
  const auto& encoded = static_cast<const arrow::DictionaryArray&>(*array);
  SVM_ASSIGN_OR_RETURN(auto values, WithoutDictionary(encoded.dictionary()));
  SVM_ASSIGN_OR_RETURN(auto builder, arrow::MakeBuilder(values->type()));
  SVM_RETURN_NOT_OK(builder->Reserve(array->length()));
  const arrow::ArraySpan span(*values->data());
  for (int64_t i = 0; i < array->length(); ++i) {
    if (encoded.IsNull(i)) {
      SVM_RETURN_NOT_OK(builder->AppendNull());
    } else {
      SVM_RETURN_NOT_OK(builder->AppendArraySlice(span, encoded.GetValueIndex(i), 1));
    }
  }
  return builder->Finish();
}

}  // namespace shadowvm::columns
