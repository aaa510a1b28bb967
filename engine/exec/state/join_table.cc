// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/join_table.h"

#include <cstring>

#include "engine/base/fault.h"

namespace shadowvm::exec {

using memory::Buffer;

JoinTable::JoinTable(std::shared_ptr<const RowSet> rows, JoinTableOptions options,
                     memory::MemoryBudget* budget)
    : rows_(std::move(rows)), options_(std::move(options)), budget_(budget) {}

base::Result<std::unique_ptr<JoinTable>> JoinTable::Build(std::shared_ptr<const RowSet> rows,
                                                          JoinTableOptions options,
                                                          memory::MemoryBudget* budget,
                                                          const schedule::Workers& workers,
                                                          HashFiller* filler) {
  SVM_FAULT_POINT("exec.join.build");
  if (rows->num_rows >= kernels::kNoRow) {
    return base::MakeError(base::ErrorCode::kCardinality,
                           "a join's build side holds at most 4,294,967,294 rows");
  }
  std::unique_ptr<JoinTable> table(new JoinTable(std::move(rows), std::move(options), budget));
  const bool direct = table->shape().kind == JoinShape::Kind::kDirect;
  SVM_RETURN_NOT_OK(direct ? table->BuildDirect(workers) : table->BuildHash(workers, filler));
  return table;
}

base::Status JoinTable::MakeNext() {
  if (!options_.rows) return base::Status::OK();
  SVM_ASSIGN_OR_RETURN(next_, Buffer::Make(budget_, rows_->num_rows * 4, "join chains"));
  return base::Status::OK();
}

kernels::DirectView JoinTable::direct() const {
  const auto pointer = [](const auto& buffer) {
    return buffer == nullptr ? nullptr : buffer->data();
  };
  kernels::DirectView view{};
  view.bits = pointer(bits_);
  view.bytes = pointer(bytes_);
  view.codes = reinterpret_cast<const kernels::u16*>(pointer(codes_));
  view.rows = reinterpret_cast<const kernels::u32*>(pointer(row_numbers_));
  view.next = reinterpret_cast<const kernels::u32*>(pointer(next_));
  view.base = base_;
  view.size = size_;
  return view;
}

std::vector<std::shared_ptr<memory::Buffer>> JoinTable::buffers() const {
  std::vector<std::shared_ptr<memory::Buffer>> all;
  for (const auto& buffer : {bits_, row_numbers_, slots_, keys_, codes_, next_}) {
    if (buffer != nullptr) all.push_back(buffer);
  }
  return all;
}

kernels::HashView JoinTable::hash() const {
  kernels::HashView view{};
  view.slots = slots_->as<kernels::u64>();
  view.mask = mask_;
  view.keys = keys_->as<kernels::u64>();
  view.next = next_ == nullptr ? nullptr : next_->as<kernels::u32>();
  view.codes = codes_ == nullptr ? nullptr : codes_->as<kernels::u16>();
  return view;
}

base::Result<std::shared_ptr<const Buffer>> JoinTable::Translate(
    const std::shared_ptr<const columns::Dictionary>& dictionary) {
  std::lock_guard lock(texts_mutex_);
  std::erase_if(translations_, [](const auto& known) { return known.second.of.expired(); });
  Translation& known = translations_[dictionary.get()];
  const uint32_t size = dictionary->size();
  if (known.ids != nullptr && known.size >= size) return known.ids;
  SVM_ASSIGN_OR_RETURN(auto ids, Buffer::Make(budget_, int64_t{size} * 4, "join translation"));
  if (known.size > 0) std::memcpy(ids->data(), known.ids->data(), int64_t{known.size} * 4);
  for (uint32_t code = known.size; code < size; ++code) {
    ids->as<uint32_t>()[code] = FindText(dictionary->texts()[code]);
  }
  known = {dictionary, size, std::move(ids)};
  return known.ids;
}

base::Result<std::shared_ptr<const TextIndex>> JoinTable::IndexTexts() {
  std::lock_guard lock(texts_mutex_);
  if (text_index_ == nullptr) {
    SVM_ASSIGN_OR_RETURN(text_index_, TextIndex::Make(interner_, budget_));
  }
  return text_index_;
}

base::Result<std::unique_ptr<JoinTable>> JoinTable::WithCodes(
    std::span<const uint16_t> codes, const schedule::Workers& workers) const {
  std::unique_ptr<JoinTable> table(new JoinTable(rows_, options_, budget_));
  table->num_rows_ = num_rows_;
  table->num_keys_ = num_keys_;
  table->key_zone_ = key_zone_;
  table->next_ = next_;
  table->base_ = base_;
  table->size_ = size_;
  table->bits_ = bits_;
  table->bytes_ = bytes_;
  table->row_numbers_ = row_numbers_;
  table->key_words_ = key_words_;
  table->mask_ = mask_;
  table->slots_ = slots_;
  table->keys_ = keys_;
  table->interner_ = interner_;
  SVM_RETURN_NOT_OK(table->AddCodes(codes, workers));
  return table;
}

}  // namespace shadowvm::exec
