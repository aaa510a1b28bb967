// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/segment_fill.h"

#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

#include <algorithm>
#include <cstring>

namespace shadowvm::storage {

using columns::Encoding;
using memory::Buffer;

base::Result<SegmentFill> SegmentFill::Make(const columns::Layout& layout,
                                            const columns::Zone& zone, int64_t num_rows,
                                            bool partial, memory::MemoryBudget* budget) {
  SegmentFill fill(layout, budget);
  fill.segment_ = std::make_shared<columns::ColumnSegment>();
  columns::ColumnSegment& segment = *fill.segment_;
  segment.num_rows = num_rows;
  segment.zone = zone;
  if (layout.encoding == Encoding::kFrame) segment.base = zone.min;
  if (layout.encoding == Encoding::kText) {
    SVM_ASSIGN_OR_RETURN(segment.offsets, Buffer::Make(budget, (num_rows + 1) * 4, "text offsets"));
    SVM_ASSIGN_OR_RETURN(segment.data, Buffer::Make(budget, 0, "text"));
    return fill;
  }
  SVM_ASSIGN_OR_RETURN(segment.data,
                       Buffer::Make(budget, num_rows * layout.width, "segment",
                                    partial ? Buffer::Fill::kZero : Buffer::Fill::kNone));
  return fill;
}

base::Status SegmentFill::NeedValidity() {
  if (segment_->validity != nullptr) return base::Status::OK();
  if (!layout_.nullable) {
    return base::MakeError(base::ErrorCode::kCorruptFile,
                           "a null where the statistics promise none");
  }
  const int64_t bytes = (segment_->num_rows + 7) / 8;
  SVM_ASSIGN_OR_RETURN(segment_->validity, Buffer::Make(budget_, bytes, "validity"));
  std::memset(segment_->validity->data(), 0xff, bytes + Buffer::kPadding);
  return base::Status::OK();
}

base::Status SegmentFill::AddValidity(int64_t row, const PageValidity& validity, int64_t skip,
                                      int64_t count) {
  if (validity.bits.empty()) return base::Status::OK();
  SVM_RETURN_NOT_OK(NeedValidity());
  num_nulls_ += count - arrow::internal::CountSetBits(validity.bits.data(), skip, count);
  arrow::internal::CopyBitmap(validity.bits.data(), skip, count, segment_->validity->data(), row);
  return base::Status::OK();
}

base::Status SegmentFill::AddNulls(int64_t row, int64_t count) {
  SVM_RETURN_NOT_OK(NeedValidity());
  arrow::bit_util::SetBitsTo(segment_->validity->data(), row, count, false);
  num_nulls_ += count;
  if (layout_.encoding == Encoding::kText) {
    PadOffsets(row + count);
  } else {
    std::memset(at(row), 0, count * layout_.width);
  }
  return base::Status::OK();
}

void SegmentFill::PadOffsets(int64_t row) {
  auto* offsets = segment_->offsets->as<uint32_t>();
  while (text_rows_ < row) offsets[text_rows_++] = static_cast<uint32_t>(text_bytes_);
}

base::Status SegmentFill::ReserveText(int64_t bytes) {
  if (text_bytes_ + bytes > INT32_MAX) {
    return base::MakeError(
        base::ErrorCode::kUnsupported,
        "more than 2 GiB of text in " + std::to_string(segment_->num_rows) + " rows");
  }
  if (text_bytes_ + bytes <= segment_->data->size()) return base::Status::OK();
  const int64_t grown = std::max(text_bytes_ + bytes, 2 * segment_->data->size());
  SVM_ASSIGN_OR_RETURN(auto larger, Buffer::Make(budget_, grown, "text"));
  std::memcpy(larger->data(), segment_->data->data(), text_bytes_);
  segment_->data = std::move(larger);
  return base::Status::OK();
}

base::Status SegmentFill::AppendTexts(int64_t row, std::span<const TextView> texts) {
  PadOffsets(row);
  uint64_t bytes = 0;
  for (const TextView& text : texts) bytes += text.size;
  SVM_RETURN_NOT_OK(ReserveText(static_cast<int64_t>(bytes)));
  auto* offsets = segment_->offsets->as<uint32_t>();
  uint8_t* out = segment_->data->data();
  for (const TextView& text : texts) {
    offsets[text_rows_++] = static_cast<uint32_t>(text_bytes_);
    if (text.size > 0) std::memcpy(out + text_bytes_, text.data, text.size);
    text_bytes_ += static_cast<int64_t>(text.size);
  }
  return base::Status::OK();
}

base::Result<std::shared_ptr<const columns::ColumnSegment>> SegmentFill::Finish() {
  segment_->zone.null_count = num_nulls_;
  if (num_nulls_ == 0) segment_->validity.reset();
  if (layout_.encoding == Encoding::kText) {
    PadOffsets(segment_->num_rows + 1);
    // Growing doubles: what is kept is cut to what is used.
    SVM_ASSIGN_OR_RETURN(auto exact, Buffer::Make(budget_, text_bytes_, "text"));
    std::memcpy(exact->data(), segment_->data->data(), text_bytes_);
    segment_->data = std::move(exact);
  }
  return std::shared_ptr<const columns::ColumnSegment>(std::move(segment_));
}

}  // namespace shadowvm::storage
