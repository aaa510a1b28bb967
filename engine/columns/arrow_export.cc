// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/arrow_export.h"

#include <arrow/api.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "engine/columns/arrow_arrays.h"
#include "engine/columns/arrow_values.h"
#include "engine/columns/frame.h"
#include "engine/columns/type_mapping.h"

namespace shadowvm::columns {
namespace {

bool IsValid(const ColumnSegment& segment, int64_t row) {
  return segment.validity == nullptr || arrow::bit_util::GetBit(segment.validity->data(), row);
}

base::Result<std::shared_ptr<arrow::Buffer>> CopyOf(const void* data, int64_t size,
                                                    ArrowRoom* room) {
  SVM_ASSIGN_OR_RETURN(auto buffer, room->Allocate(size));
  if (size > 0) std::memcpy(buffer->mutable_data(), data, size);
  return buffer;
}

base::Result<std::shared_ptr<arrow::Buffer>> ValidityOf(const ColumnSegment& segment,
                                                        ArrowRoom* room) {
  if (segment.validity == nullptr) return nullptr;
  return CopyOf(segment.validity->data(), (segment.num_rows + 7) / 8, room);
}

template <typename T, typename Source>
void FillFrame(const ColumnSegment& segment, uint8_t* out) {
  const auto* offsets = segment.data->as<Source>();
  auto* values = reinterpret_cast<T*>(out);
  const auto base = static_cast<uint64_t>(segment.base);
  for (int64_t i = 0; i < segment.num_rows; ++i) {
    values[i] = static_cast<T>(static_cast<int64_t>(base + offsets[i]));
  }
}

template <typename T>
void FillFrame(const ColumnSegment& segment, int width, uint8_t* out) {
  switch (width) {
    case 1:
      return FillFrame<T, uint8_t>(segment, out);
    case 2:
      return FillFrame<T, uint16_t>(segment, out);
    case 4:
      return FillFrame<T, uint32_t>(segment, out);
    default:
      return FillFrame<T, uint64_t>(segment, out);
  }
}

void FillBools(const ColumnSegment& segment, int width, uint8_t* out) {
  for (int64_t i = 0; i < segment.num_rows; ++i) {
    const auto value =
        segment.base + static_cast<int64_t>(LoadOffset(segment.data->data(), width, i));
    arrow::bit_util::SetBitTo(out, i, value != 0);
  }
}

base::Result<std::shared_ptr<arrow::Buffer>> FramedValues(Type type, const Layout& layout,
                                                          const ColumnSegment& segment,
                                                          ArrowRoom* room) {
  const auto arrow_type = ToArrow(type);
  const int64_t bits = static_cast<const arrow::FixedWidthType&>(*arrow_type).bit_width();
  SVM_ASSIGN_OR_RETURN(auto values, room->Allocate((segment.num_rows * bits + 7) / 8));
  uint8_t* out = values->mutable_data();
  switch (bits) {
    case 1:
      FillBools(segment, layout.width, out);
      break;
    case 8:
      FillFrame<int8_t>(segment, layout.width, out);
      break;
    case 16:
      FillFrame<int16_t>(segment, layout.width, out);
      break;
    case 32:
      FillFrame<int32_t>(segment, layout.width, out);
      break;
    case 64:
      FillFrame<int64_t>(segment, layout.width, out);
      break;
    default:
      FillFrame<Int128>(segment, layout.width, out);
  }
  return values;
}

std::string_view TextAt(const Layout& layout, const Dictionary* dictionary,
                        const ColumnSegment& segment, int64_t row) {
  if (layout.encoding == Encoding::kCodes) return dictionary->at(segment.data->as<uint32_t>()[row]);
  const auto* offsets = segment.offsets->as<uint32_t>();
  return {segment.data->as<char>() + offsets[row], offsets[row + 1] - offsets[row]};
}

}  // namespace

base::Result<arrow::ArrayVector> ToArrow(Type type, const Layout& layout,
                                         const Dictionary* dictionary,
                                         const ColumnSegment& segment) {
  ArrowRoom room;
  if (type.is_text()) {
    return MakeTextArrays(
        type, 0, segment.num_rows, segment.validity != nullptr, &room,
        [&](int64_t row) { return IsValid(segment, row); },
        [&](int64_t row) { return TextAt(layout, dictionary, segment, row); });
  }
  std::shared_ptr<arrow::Buffer> values;
  if (type.is_framed()) {
    SVM_ASSIGN_OR_RETURN(values, FramedValues(type, layout, segment, &room));
  } else {
    SVM_ASSIGN_OR_RETURN(values,
                         CopyOf(segment.data->data(), segment.num_rows * layout.width, &room));
  }
  SVM_ASSIGN_OR_RETURN(auto validity, ValidityOf(segment, &room));
  return arrow::ArrayVector{
      MakeArrowArray(type, segment.num_rows, {std::move(validity), std::move(values)})};
}

base::Result<std::shared_ptr<arrow::Table>> ToArrow(TableSource& source,
                                                    const std::vector<int>& columns) {
  Schema schema;
  std::vector<Layout> layouts;
  for (const int column : columns) {
    schema.fields.push_back(source.schema().fields[column]);
    SVM_ASSIGN_OR_RETURN(const Layout layout, source.layout(column));
    layouts.push_back(layout);
  }
  std::vector<arrow::ArrayVector> chunks(columns.size());
  for (int s = 0; s < source.num_segments(); ++s) {
    SVM_ASSIGN_OR_RETURN(const auto segment, source.Read(s, columns, {}, nullptr));
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto dictionary = source.dictionary(columns[i]);
      SVM_ASSIGN_OR_RETURN(auto arrays, ToArrow(schema.fields[i].type, layouts[i], dictionary.get(),
                                                *segment->columns[i]));
      for (auto& array : arrays) chunks[i].push_back(std::move(array));
    }
  }
  arrow::ChunkedArrayVector arrays;
  for (size_t i = 0; i < columns.size(); ++i) {
    arrays.push_back(std::make_shared<arrow::ChunkedArray>(std::move(chunks[i]),
                                                           ToArrow(schema.fields[i].type)));
  }
  return arrow::Table::Make(ToArrow(schema), std::move(arrays), source.num_rows());
}

base::Result<std::shared_ptr<arrow::Table>> ToArrow(TableSource& source) {
  std::vector<int> all(source.schema().num_fields());
  std::iota(all.begin(), all.end(), 0);
  return ToArrow(source, all);
}

base::Result<arrow::RecordBatchVector> ToArrowBatches(TableSource& source) {
  SVM_ASSIGN_OR_RETURN(const auto table, ToArrow(source));
  return arrow::TableBatchReader(table).ToRecordBatches();
}

}  // namespace shadowvm::columns
