// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/collect_sink.h"

#include <algorithm>
#include <cstring>

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
  capacity_ = std::max(capacity_, std::min(std::min(rows, options_.launch_rows),
                                           std::max(kFewRows, thought + thought / 4)));
  return base::Status::OK();
}

CollectSink::Layout CollectSink::Lay(DeviceAddress space) const {
  constexpr int64_t kAlignment = 16;
  Layout layout;
  const auto take = [&](int64_t row_bytes) {
    const DeviceAddress at = space + static_cast<uint64_t>(layout.bytes);
    // With one row more, for those that do not fit.
    const int64_t bytes = (capacity_ + 1) * row_bytes;
    layout.bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  };
  for (const RowColumn& column : columns_) {
    layout.data.push_back(take(column.width()));
    layout.valid.push_back(column.nullable ? take(1) : 0);
  }
  if (options_.in_order) layout.ids = take(sizeof(kernels::u64));
  return layout;
}

void CollectSink::Write(LaunchWriter* writer, kernels::LaunchBlock* head) {
  if (is_apart()) return;
  own_.space = writer->AddSpace(PlaceBytes());
  const Layout layout = Lay(own_.space);
  const auto count = static_cast<int64_t>(columns_.size());
  kernels::OutputView view{};
  view.columns =
      Pointer<void*>(reinterpret_cast<DeviceAddress>(writer->AddRoom(layout.data.data(), count)));
  view.valid = Pointer<kernels::u8*>(
      reinterpret_cast<DeviceAddress>(writer->AddRoom(layout.valid.data(), count)));
  view.capacity = static_cast<kernels::u64>(capacity_);
  own_.words = reinterpret_cast<DeviceAddress>(writer->AddRoom(&view, 1));
  PointAt(own_, head);
}

void CollectSink::PointAt(const SinkPlace& place, kernels::LaunchBlock* head) const {
  head->call.output = Pointer<kernels::OutputView>(place.words);
  if (options_.in_order) head->output_rows = Pointer<kernels::u64>(Lay(place.space).ids);
}

// The view, and the columns that it points to.
std::vector<int64_t> CollectSink::WordsAt(const SinkPlace& place) const {
  const Layout layout = Lay(place.space);
  const DeviceAddress columns_at = place.words + sizeof(kernels::OutputView);
  kernels::OutputView view{};
  view.columns = Pointer<void*>(columns_at);
  view.valid = Pointer<kernels::u8*>(columns_at + layout.data.size() * sizeof(DeviceAddress));
  view.capacity = static_cast<kernels::u64>(capacity_);
  std::vector<int64_t> words(sizeof view / 8);
  std::memcpy(words.data(), &view, sizeof view);
  words.insert(words.end(), layout.data.begin(), layout.data.end());
  words.insert(words.end(), layout.valid.begin(), layout.valid.end());
  return words;
}

base::Status CollectSink::Fetch(device::Stream* stream, device::DeviceAddress error_at) {
  SVM_RETURN_NOT_OK(FetchError(stream, error_at));
  return stream->CopyOut(&found_, own_.words, sizeof found_);
}

base::Result<bool> CollectSink::HadRoom() { return HadRoomFor(static_cast<int64_t>(found_.count)); }

base::Result<bool> CollectSink::HadRoomFor(int64_t count) {
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
  return TakeRowsAt(stream, own_.space, static_cast<int64_t>(found_.count), texts);
}

base::Result<bool> CollectSink::TakeAt(device::Stream* stream, const SinkPlace& place,
                                       std::span<int64_t> words, TextOrigins* texts) {
  kernels::OutputView view;
  std::memcpy(&view, words.data(), sizeof view);
  const auto count = static_cast<int64_t>(view.count);
  SVM_ASSIGN_OR_RETURN(const bool had_room, HadRoomFor(count));
  if (had_room) SVM_RETURN_NOT_OK(TakeRowsAt(stream, place.space, count, texts));
  return had_room;
}

base::Status CollectSink::TakeRowsAt(device::Stream* stream, DeviceAddress space, int64_t count,
                                     TextOrigins* texts) {
  const Layout layout = Lay(space);
  taken_.ids.reset();
  SVM_ASSIGN_OR_RETURN(taken_.rows, MakeRowSet(budget_, columns_, count));
  base::Status status;
  if (options_.in_order && count > 0) {
    SVM_ASSIGN_OR_RETURN(taken_.ids, memory::Buffer::Make(budget_, count * 8, "ids of rows"));
    status = stream->CopyOut(taken_.ids->data(), layout.ids, count * 8);
  }
  for (size_t i = 0; i < columns_.size() && count > 0 && status.ok(); ++i) {
    RowData& data = taken_.rows.columns[i];
    status = stream->CopyOut(data.data->data(), layout.data[i], count * columns_[i].width());
    if (status.ok() && data.valid != nullptr) {
      status = stream->CopyOut(data.valid->data(), layout.valid[i], count);
    }
  }
  // What was queued names the rows' memory, whatever came of the rest.
  const base::Status finished = stream->Synchronize();
  SVM_RETURN_NOT_OK(status);
  SVM_RETURN_NOT_OK(finished);
  SVM_RETURN_NOT_OK(KeepTexts(texts));
  has_taken_ = true;
  return base::Status::OK();
}

base::Status CollectSink::KeepTexts(TextOrigins* texts) {
  auto arena = std::make_shared<TextArena>(budget_);
  for (RowData& data : taken_.rows.columns) {
    if (data.column.kind != RowColumn::Kind::kText) continue;
    auto* const values = reinterpret_cast<kernels::Text*>(data.data->data());
    for (int64_t row = 0; row < taken_.rows.num_rows; ++row) {
      const bool is_null = data.valid != nullptr && data.valid->data()[row] == 0;
      SVM_ASSIGN_OR_RETURN(const kernels::Text found,
                           texts->Find(is_null ? kernels::Text{} : values[row]));
      SVM_ASSIGN_OR_RETURN(values[row], arena->Keep(found));
    }
  }
  taken_.rows.keepers.push_back(std::move(arena));
  return base::Status::OK();
}

base::Result<CollectSink::Found> CollectSink::TakeFound() {
  if (has_taken_) return std::move(taken_);
  SVM_ASSIGN_OR_RETURN(RowSet none, MakeRowSet(budget_, columns_, 0));
  return Found{std::move(none), nullptr};
}

base::Result<RowSet> InSourceOrder(CollectSink::Found found, memory::MemoryBudget* budget,
                                   const schedule::Workers& workers) {
  if (found.ids == nullptr) return std::move(found.rows);
  const auto count = static_cast<size_t>(found.rows.num_rows);
  SVM_ASSIGN_OR_RETURN(const auto order, SourceOrder({found.ids->as<uint64_t>(), count}, budget));
  return Gather(found.rows, {order->as<uint32_t>(), count}, budget, workers);
}

}  // namespace shadowvm::exec
