// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/rare_encoding.h"

#include <parquet/encoding.h>
#include <parquet/exception.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace shadowvm::storage {
namespace {

base::Status EndsEarly() {
  return base::MakeError(base::ErrorCode::kCorruptFile, "page ends early");
}

struct Page {
  parquet::Encoding::type encoding;
  const parquet::ColumnDescriptor& column;
  const uint8_t* data;
  int64_t size;
  int64_t count;
};

// Throws parquet::ParquetException.
template <typename DType, typename T>
bool DecodeInto(const Page& page, T* out) {
  auto decoder = parquet::MakeTypedDecoder<DType>(page.encoding, &page.column);
  decoder->SetData(static_cast<int>(page.count), page.data, static_cast<int>(page.size));
  return decoder->Decode(out, static_cast<int>(page.count)) == page.count;
}

template <typename DType>
base::Status DecodeNumbers(const Page& page, ValueWriter* writer, uint8_t* out) {
  std::vector<typename DType::c_type> values(page.count);
  if (!DecodeInto<DType>(page, values.data())) return EndsEarly();
  const int64_t bytes = page.count * static_cast<int64_t>(sizeof(values[0]));
  return writer->WritePlain(reinterpret_cast<const uint8_t*>(values.data()), bytes, page.count,
                            out);
}

base::Status DecodeBooleans(const Page& page, ValueWriter* writer, uint8_t* out) {
  const auto values = std::make_unique<bool[]>(page.count);
  if (!DecodeInto<parquet::BooleanType>(page, values.get())) return EndsEarly();
  std::vector<uint8_t> bits((page.count + 7) / 8);
  for (int64_t i = 0; i < page.count; ++i) bits[i / 8] |= values[i] << (i % 8);
  return writer->WritePlain(bits.data(), static_cast<int64_t>(bits.size()), page.count, out);
}

base::Status DecodeByteArrays(const Page& page, ValueWriter* writer, uint8_t* out) {
  auto decoder = parquet::MakeTypedDecoder<parquet::ByteArrayType>(page.encoding, &page.column);
  decoder->SetData(static_cast<int>(page.count), page.data, static_cast<int>(page.size));
  std::vector<parquet::ByteArray> values(page.count);
  if (decoder->Decode(values.data(), static_cast<int>(page.count)) != page.count) {
    return EndsEarly();
  }
  std::vector<std::string_view> texts;
  for (const auto& value : values) texts.emplace_back(std::string_view(value));
  return writer->WriteTexts(texts, out);
}

base::Status DecodeFixed(const Page& page, ValueWriter* writer, uint8_t* out) {
  auto decoder = parquet::MakeTypedDecoder<parquet::FLBAType>(page.encoding, &page.column);
  decoder->SetData(static_cast<int>(page.count), page.data, static_cast<int>(page.size));
  std::vector<parquet::FixedLenByteArray> values(page.count);
  if (decoder->Decode(values.data(), static_cast<int>(page.count)) != page.count) {
    return EndsEarly();
  }
  const int length = page.column.type_length();
  std::vector<uint8_t> bytes(page.count * length);
  for (int64_t i = 0; i < page.count; ++i) {
    std::memcpy(bytes.data() + i * length, values[i].ptr, length);
  }
  return writer->WritePlain(bytes.data(), static_cast<int64_t>(bytes.size()), page.count, out);
}

base::Status Dispatch(const Page& page, ValueWriter* writer, uint8_t* out) {
  switch (page.column.physical_type()) {
    case parquet::Type::BOOLEAN:
      return DecodeBooleans(page, writer, out);
    case parquet::Type::INT32:
      return DecodeNumbers<parquet::Int32Type>(page, writer, out);
    case parquet::Type::INT64:
      return DecodeNumbers<parquet::Int64Type>(page, writer, out);
    case parquet::Type::FLOAT:
      return DecodeNumbers<parquet::FloatType>(page, writer, out);
    case parquet::Type::DOUBLE:
      return DecodeNumbers<parquet::DoubleType>(page, writer, out);
    case parquet::Type::BYTE_ARRAY:
      return DecodeByteArrays(page, writer, out);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return DecodeFixed(page, writer, out);
    default:
      return base::MakeError(base::ErrorCode::kUnsupported,
                             "encoding " + parquet::EncodingToString(page.encoding));
  }
}

bool IsKnown(parquet::Encoding::type encoding) {
  switch (encoding) {
    case parquet::Encoding::RLE:
    case parquet::Encoding::DELTA_BINARY_PACKED:
    case parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY:
    case parquet::Encoding::DELTA_BYTE_ARRAY:
    case parquet::Encoding::BYTE_STREAM_SPLIT:
      return true;
    default:
      return false;
  }
}

}  // namespace

base::Status DecodeRareEncoding(parquet::Encoding::type encoding,
                                const parquet::ColumnDescriptor& column, const uint8_t* data,
                                int64_t size, int64_t count, ValueWriter* writer, uint8_t* out) {
  if (!IsKnown(encoding)) {
    return base::MakeError(base::ErrorCode::kUnsupported,
                           "encoding " + std::to_string(static_cast<int>(encoding)));
  }
  if (count == 0) return base::Status::OK();
  try {
    return Dispatch({encoding, column, data, size, count}, writer, out);
  } catch (const std::exception& error) {
    return base::MakeError(base::ErrorCode::kCorruptFile, error.what());
  }
}

}  // namespace shadowvm::storage
