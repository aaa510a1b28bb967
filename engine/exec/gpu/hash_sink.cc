// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/hash_sink.h"

#include <cstddef>
#include <utility>

namespace shadowvm::exec {

using device::DeviceAddress;

HashSink::HashSink(memory::MemoryBudget* budget, Options options)
    : budget_(budget),
      options_(std::move(options)),
      groups_(int64_t{row_words()} * 8),
      texts_(options_.keys, options_.interner, budget),
      arena_(std::make_shared<TextArena>(budget)) {}

base::Status HashSink::Expect(int64_t rows, double) {
  groups_.Expect(rows);
  texts_.room().Expect(rows);
  return base::Status::OK();
}

void HashSink::Write(LaunchWriter* writer, kernels::LaunchBlock* head) {
  if (!is_apart()) {
    const Counts none;
    own_.words = reinterpret_cast<DeviceAddress>(writer->AddRoom(&none, 1));
    own_.space = writer->AddSpace(PlaceBytes());
    PointAt(own_, head);
  }
  head->row_words = static_cast<kernels::u32>(RowWords(options_.accumulators));
  std::vector<int64_t> initial(head->row_words);
  Initialise(options_.accumulators, initial.data());
  head->initial = writer->AddArray(initial.data(), head->row_words);
}

void HashSink::PointAt(const SinkPlace& place, kernels::LaunchBlock* head) const {
  kernels::LaunchGroups& groups = head->groups;
  groups.slots = reinterpret_cast<kernels::u64*>(place.space);
  groups.mask = groups_.num_slots() - 1;
  groups.rows = reinterpret_cast<kernels::i64*>(groups_.entries(place.space));
  groups.count = reinterpret_cast<kernels::u64*>(place.words + offsetof(Counts, groups));
  groups.capacity = static_cast<kernels::u64>(groups_.capacity());
  groups.row_words = static_cast<kernels::u64>(row_words());
  if (texts_.empty()) return;
  head->strings = texts_.At(StringsAt(place), place.words + offsetof(Counts, strings));
}

base::Status HashSink::PrepareAt(device::Stream* stream, const SinkPlace& place) {
  SVM_RETURN_NOT_OK(stream->Clear(place.space, groups_.slot_bytes()));
  if (texts_.empty()) return base::Status::OK();
  return stream->Clear(StringsAt(place), texts_.room().slot_bytes());
}

base::Status HashSink::Prepare(device::Stream* stream) {
  return is_apart() ? base::Status::OK() : PrepareAt(stream, own_);
}

int64_t HashSink::PlaceBytes() const {
  return groups_.bytes() + (texts_.empty() ? 0 : texts_.room().bytes());
}

base::Status HashSink::Fetch(device::Stream* stream, DeviceAddress error_at) {
  SVM_RETURN_NOT_OK(FetchError(stream, error_at));
  return stream->CopyOut(&counts_, own_.words, sizeof counts_);
}

base::Result<bool> HashSink::HadRoomFor(const Counts& counts) {
  SVM_ASSIGN_OR_RETURN(const bool groups,
                       groups_.Had(counts.groups, options_.most_bytes, "groups"));
  if (texts_.empty()) return groups;
  SVM_ASSIGN_OR_RETURN(const bool strings,
                       texts_.room().Had(counts.strings, options_.most_bytes, "strings"));
  return groups && strings;
}

base::Status HashSink::Take(device::Stream* stream, TextOrigins* texts) {
  return TakeRows(stream, own_, counts_, texts);
}

base::Status HashSink::TakeRows(device::Stream* stream, const SinkPlace& place,
                                const Counts& counts, TextOrigins* texts) {
  found_ = {};
  const auto count = static_cast<int64_t>(counts.groups);
  if (count == 0) return base::Status::OK();
  const int64_t bytes = count * row_words() * 8;
  SVM_ASSIGN_OR_RETURN(auto rows, memory::Buffer::Make(budget_, bytes, "hash groups"));
  const base::Status copied = stream->CopyOut(rows->data(), groups_.entries(place.space), bytes);
  const base::Status finished = stream->Synchronize();
  SVM_RETURN_NOT_OK(copied);
  SVM_RETURN_NOT_OK(finished);
  const FoundGroups groups{rows->as<int64_t>(), count, row_words()};
  SVM_RETURN_NOT_OK(KeepTexts(options_.accumulators, groups, texts, arena_.get()));
  if (!texts_.empty()) {
    SVM_RETURN_NOT_OK(texts_.Take(stream, StringsAt(place), counts.strings, texts, groups));
  }
  found_ = {std::move(rows), count, row_words()};
  return base::Status::OK();
}

std::vector<int64_t> HashSink::WordsAt(const SinkPlace&) const {
  return std::vector<int64_t>(sizeof(Counts) / 8);
}

base::Result<bool> HashSink::TakeAt(device::Stream* stream, const SinkPlace& place,
                                    std::span<int64_t> words, TextOrigins* texts) {
  const Counts counts{static_cast<uint64_t>(words[0]), static_cast<uint64_t>(words[1])};
  SVM_ASSIGN_OR_RETURN(const bool had_room, HadRoomFor(counts));
  if (had_room) SVM_RETURN_NOT_OK(TakeRows(stream, place, counts, texts));
  return had_room;
}

}  // namespace shadowvm::exec
