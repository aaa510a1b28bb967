// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/collect_sink.h"

#include <algorithm>

#include "engine/exec/gpu/launch_texts.h"
#include "engine/exec/gpu/source_order.h"
#include "engine/exec/state/row_conversion.h"
#include "engine/exec/state/text_arena.h"

namespace shadowvm::exec {
namespace {

using device::DeviceAddress;

// So many rows always have their room: a few misjudged ones are not worth a second launch.
constexpr int64_t kFewRows = 1 << 20;

template <typename T>
T* Pointer(DeviceAddress address) {
  return reinterpret_cast<T*>(address);
}

}  // namespace

base::Status CollectSink::Expect(int64_t rows, double share) {
  const auto thought = static_cast<int64_t>(static_cast<double>(rows) * std::min(share, 1.0));
  if (thought > options_.most_rows) {
    return base::MakeError(base::ErrorCode::kUnsupported, "about " + std::to_string(thought) +
                                                              " rows leave, which costs more to "
                                                              "bring back than to find");
  }
  // A launch before may have asked for more.
  capacity_ = std::max(capacity_, std::min(rows, std::max(kFewRows, thought + thought / 4)));
  return base::Status::OK();
}

void CollectSink::Write(LaunchWriter* writer, kernels::LaunchBlock* head) {
  data_.clear();
  valid_.clear();
  std::vector<void*> columns;
  std::vector<kernels::u8*> valid;
  for (const RowColumn& column : columns_) {
    // With one row more, for those that do not fit.
    data_.push_back(writer->AddSpace((capacity_ + 1) * column.width()));
    valid_.push_back(column.nullable ? writer->AddSpace(capacity_ + 1) : 0);
    columns.push_back(Pointer<void>(data_.back()));
    valid.push_back(Pointer<kernels::u8>(valid_.back()));
  }
  if (options_.in_order) {
    ids_at_ = writer->AddSpace((capacity_ + 1) * int64_t{sizeof(kernels::u64)});
    head->output_rows = Pointer<kernels::u64>(ids_at_);
  }
  const auto count = static_cast<int64_t>(columns_.size());
  kernels::OutputView view{};
  view.columns = writer->AddRoom(columns.data(), count);
  view.valid = writer->AddRoom(valid.data(), count);
  view.capacity = static_cast<kernels::u64>(capacity_);
  head->call.output = writer->AddRoom(&view, 1);
  view_ = reinterpret_cast<DeviceAddress>(head->call.output);
}

base::Status CollectSink::Fetch(device::Stream* stream, device::DeviceAddress error_at) {
  SVM_RETURN_NOT_OK(FetchError(stream, error_at));
  return stream->CopyOut(&found_, view_, sizeof found_);
}

base::Result<bool> CollectSink::HadRoom() {
  const auto count = static_cast<int64_t>(found_.count);
  if (count > int64_t{UINT32_MAX}) {
    return base::MakeError(base::ErrorCode::kOutOfMemory, "more rows than a GPU can give back");
  }
  if (count <= capacity_) return true;
  if (count > options_.most_rows) {
    return base::MakeError(base::ErrorCode::kUnsupported,
                           std::to_string(count) + " rows are more than are worth bringing back");
  }
  capacity_ = count;
  return false;
}

base::Status CollectSink::Take(device::Stream* stream, TextOrigins* texts) {
  const auto count = static_cast<int64_t>(found_.count);
  SVM_ASSIGN_OR_RETURN(rows_, MakeRowSet(budget_, columns_, count));
  base::Status status;
  if (options_.in_order && count > 0) {
    SVM_ASSIGN_OR_RETURN(ids_, memory::Buffer::Make(budget_, count * 8, "ids of rows"));
    status = stream->CopyOut(ids_->data(), ids_at_, count * 8);
  }
  for (size_t i = 0; i < columns_.size() && count > 0 && status.ok(); ++i) {
    RowData& data = rows_.columns[i];
    status = stream->CopyOut(data.data->data(), data_[i], count * columns_[i].width());
    if (status.ok() && data.valid != nullptr) {
      status = stream->CopyOut(data.valid->data(), valid_[i], count);
    }
  }
  // What was queued names the rows' memory, whatever came of the rest.
  const base::Status finished = stream->Synchronize();
  SVM_RETURN_NOT_OK(status);
  SVM_RETURN_NOT_OK(finished);
  SVM_RETURN_NOT_OK(KeepTexts(texts));
  taken_ = true;
  return base::Status::OK();
}

base::Status CollectSink::KeepTexts(TextOrigins* texts) {
  auto arena = std::make_shared<TextArena>(budget_);
  for (RowData& data : rows_.columns) {
    if (data.column.kind != RowColumn::Kind::kText) continue;
    auto* const values = reinterpret_cast<kernels::Text*>(data.data->data());
    for (int64_t row = 0; row < rows_.num_rows; ++row) {
      const bool is_null = data.valid != nullptr && data.valid->data()[row] == 0;
      const kernels::Text found = is_null ? kernels::Text{} : texts->Find(values[row]);
      SVM_ASSIGN_OR_RETURN(values[row], arena->Keep(found));
    }
  }
  rows_.keepers.push_back(std::move(arena));
  return base::Status::OK();
}

base::Result<RowSet> CollectSink::TakeRows(const schedule::Workers& workers) {
  if (!taken_) return MakeRowSet(budget_, columns_, 0);
  if (ids_ == nullptr) return std::move(rows_);
  // Matches of one row keep their order.
  const auto count = static_cast<size_t>(rows_.num_rows);
  SVM_ASSIGN_OR_RETURN(const auto order, SourceOrder({ids_->as<uint64_t>(), count}, budget_));
  return Gather(rows_, {order->as<uint32_t>(), count}, budget_, workers);
}

}  // namespace shadowvm::exec
