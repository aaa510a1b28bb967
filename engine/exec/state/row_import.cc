// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>
#include <cstring>

#include "engine/columns/frame.h"
#include "engine/exec/state/dispatch.h"
#include "engine/exec/state/row_conversion.h"
#include "engine/exec/state/text_arena.h"

namespace shadowvm::exec {
namespace {

using columns::ColumnSegment;
using columns::Encoding;
using columns::Layout;

base::Result<RowColumn> ColumnOf(columns::TableSource* source, int ordinal) {
  SVM_ASSIGN_OR_RETURN(const Layout layout, source->layout(ordinal));
  const columns::Type type = source->schema().fields[ordinal].type;
  if (layout.encoding == Encoding::kCodes) {
    return RowColumn::Codes(type, layout.nullable, source->dictionary(ordinal));
  }
  if (layout.encoding == Encoding::kText) return RowColumn::Text(type, layout.nullable);
  return RowColumn::Value(type, layout.nullable);
}

void DecodeFrame(const ColumnSegment& segment, int from_width, int to_width, uint8_t* to) {
  DispatchInteger(to_width, [&](auto zero) {
    using T = decltype(zero);
    const auto base = static_cast<uint64_t>(segment.base);
    for (int64_t i = 0; i < segment.num_rows; ++i) {
      const uint64_t offset = columns::LoadOffset(segment.data->data(), from_width, i);
      reinterpret_cast<T*>(to)[i] = static_cast<T>(base + offset);
    }
  });
}

void DecodeText(const ColumnSegment& segment, uint8_t* to) {
  const auto* offsets = segment.offsets->as<uint32_t>();
  const char* bytes = segment.data->as<char>();
  auto* texts = reinterpret_cast<kernels::Text*>(to);
  for (int64_t i = 0; i < segment.num_rows; ++i) {
    texts[i] = MakeText({bytes + offsets[i], offsets[i + 1] - offsets[i]});
  }
}

void DecodeValidity(const ColumnSegment& segment, uint8_t* valid) {
  if (segment.validity == nullptr) {
    std::memset(valid, 1, segment.num_rows);
    return;
  }
  const uint8_t* bits = segment.validity->data();
  for (int64_t i = 0; i < segment.num_rows; ++i) valid[i] = bits[i / 8] >> (i % 8) & 1;
}

void Decode(const ColumnSegment& segment, const Layout& layout, int64_t at, RowData* data) {
  const int width = data->column.width();
  uint8_t* to = data->data->data() + at * width;
  if (data->valid != nullptr) DecodeValidity(segment, data->valid->data() + at);
  if (layout.encoding == Encoding::kFrame) {
    DecodeFrame(segment, layout.width, width, to);
  } else if (layout.encoding == Encoding::kText) {
    DecodeText(segment, to);
  } else {
    std::memcpy(to, segment.data->data(), segment.num_rows * width);
  }
}

}  // namespace

base::Result<RowSet> FromSource(columns::TableSource* source, std::span<const int> ordinals,
                                memory::MemoryBudget* budget, const schedule::Workers& workers) {
  std::vector<RowColumn> row_columns;
  std::vector<Layout> layouts;
  for (const int ordinal : ordinals) {
    SVM_ASSIGN_OR_RETURN(row_columns.emplace_back(), ColumnOf(source, ordinal));
    SVM_ASSIGN_OR_RETURN(layouts.emplace_back(), source->layout(ordinal));
  }
  SVM_ASSIGN_OR_RETURN(RowSet rows, MakeRowSet(budget, row_columns, source->num_rows()));
  std::vector<int64_t> begins(source->num_segments() + 1);
  for (int i = 0; i < source->num_segments(); ++i) {
    begins[i + 1] = begins[i] + source->segment_rows(i);
  }
  rows.keepers.resize(source->num_segments());
  const auto decode = [&](int, int64_t task) -> base::Status {
    const int index = static_cast<int>(task);
    SVM_ASSIGN_OR_RETURN(const auto segment, source->Read(index, ordinals, {}, nullptr));
    for (size_t i = 0; i < ordinals.size(); ++i) {
      Decode(*segment->columns[i], layouts[i], begins[index], &rows.columns[i]);
    }
    rows.keepers[index] = segment;
    return base::Status::OK();
  };
  SVM_RETURN_NOT_OK(schedule::ParallelFor(workers, source->num_segments(), decode));
  const auto is_text = [](const RowColumn& c) { return c.kind == RowColumn::Kind::kText; };
  if (std::none_of(row_columns.begin(), row_columns.end(), is_text)) rows.keepers.clear();
  return rows;
}

}  // namespace shadowvm::exec
