// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/kernel_binding.h"

namespace shadowvm::exec {

base::Result<std::unique_ptr<PipelineBinding>> PipelineBinding::Make(
    const QueryContext& context, const vkernel::Blueprint& blueprint,
    const vkernel::Arguments& arguments, const SourceView& source,
    const std::vector<PreparedJoin>& joins) {
  std::unique_ptr<PipelineBinding> binding(
      new PipelineBinding(context, blueprint, arguments, source, joins));
  binding->BindRanges();
  SVM_RETURN_NOT_OK(binding->BindPredicates());
  SVM_RETURN_NOT_OK(binding->IndexTexts());
  binding->BindJoins();
  return binding;
}

PipelineBinding::PipelineBinding(const QueryContext& context, const vkernel::Blueprint& blueprint,
                                 const vkernel::Arguments& arguments, const SourceView& source,
                                 const std::vector<PreparedJoin>& joins)
    : context_(context),
      blueprint_(blueprint),
      source_(source),
      joins_(joins),
      literals_(std::make_shared<LiteralArguments>(arguments)) {
  for (const auto& column : blueprint.columns) ordinals_.push_back(column.ordinal);
}

void PipelineBinding::BindRanges() {
  for (const vkernel::RangeSlot& slot : blueprint_.ranges) {
    ValueRange range = RangeOf(slot);
    if (slot.join >= 0) {
      const columns::Zone& keys = joins_[slot.join].table->key_zone();
      // A build side without keys lets nothing through.
      range = keys.known ? ValueRange{keys.min, keys.max} : ValueRange{1, 0};
    }
    ranges_.push_back(range);
    filters_.push_back({blueprint_.columns[slot.column].ordinal, range.min, range.max});
  }
}

base::Status PipelineBinding::BindPredicates() {
  for (const vkernel::PassSlot& slot : blueprint_.passes) {
    const vkernel::SourceColumn& column = blueprint_.columns[slot.column];
    predicates_.push_back(std::make_unique<DictionaryPredicate>(
        source_.table->dictionary(column.ordinal), slot.predicate));
    SVM_RETURN_NOT_OK(predicates_.back()->Evaluate());
  }
  return base::Status::OK();
}

base::Status PipelineBinding::IndexTexts() {
  text_indexes_.resize(joins_.size());
  for (size_t i = 0; i < joins_.size(); ++i) {
    if (!blueprint_.joins[i].FindsTexts()) continue;
    SVM_ASSIGN_OR_RETURN(text_indexes_[i], joins_[i].table->IndexTexts());
  }
  return base::Status::OK();
}

void PipelineBinding::BindJoins() {
  directs_.clear();
  hashes_.clear();
  payloads_.clear();
  for (size_t i = 0; i < joins_.size(); ++i) {
    const JoinTable& table = *joins_[i].table;
    if (blueprint_.joins[i].form == vkernel::JoinForm::kHash) {
      hashes_.push_back(table.hash());
      if (text_indexes_[i] != nullptr) hashes_.back().texts = text_indexes_[i]->view();
    } else {
      directs_.push_back(table.direct());
    }
  }
  for (const vkernel::PayloadColumn& payload : blueprint_.payloads) {
    payloads_.push_back(joins_[payload.join].build->rows->payload(payload.column));
  }
}

bool PipelineBinding::MayPass(int segment) const {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const columns::Zone zone =
        source_.table->zone(segment, blueprint_.columns[blueprint_.ranges[i].column].ordinal);
    // Nulls lie in no range.
    if (ranges_[i].Misses(zone) || zone.null_count == source_.table->segment_rows(segment)) {
      return false;
    }
  }
  return true;
}

base::Result<std::vector<DictionaryPredicate::Bytes>> PipelineBinding::EvaluatePredicates() const {
  std::vector<DictionaryPredicate::Bytes> bytes;
  for (const auto& predicate : predicates_) {
    SVM_ASSIGN_OR_RETURN(bytes.emplace_back(), predicate->Evaluate());
  }
  return bytes;
}

base::Result<PipelineBinding::Translation> PipelineBinding::Translate(size_t join,
                                                                      int input) const {
  const vkernel::Input& key = blueprint_.inputs[input];
  if (!key.is_payload) {
    const auto dictionary = source_.table->dictionary(blueprint_.columns[key.index].ordinal);
    return joins_[join].table->Translate(dictionary);
  }
  const vkernel::PayloadColumn& payload = blueprint_.payloads[key.index];
  const RowSet& rows = *joins_[payload.join].build->rows;
  return joins_[join].table->Translate(rows.columns[payload.column].column.dictionary);
}

base::Result<std::vector<PipelineBinding::Translation>> PipelineBinding::TranslateKeys() const {
  std::vector<Translation> translations(blueprint_.num_translations);
  for (size_t j = 0; j < blueprint_.joins.size(); ++j) {
    const vkernel::Join& join = blueprint_.joins[j];
    for (size_t k = 0; k < join.keys.size(); ++k) {
      const int slot = join.translations[k];
      if (slot < 0) continue;
      SVM_ASSIGN_OR_RETURN(translations[slot], Translate(j, join.keys[k]->column));
    }
  }
  return translations;
}

std::vector<Keeper> PipelineBinding::keepers() const {
  std::vector<Keeper> keepers = {literals_, source_.table};
  for (const PreparedJoin& join : joins_) keepers.push_back(join.build->rows);
  return keepers;
}

WorkerCall::WorkerCall(PipelineBinding* binding)
    : binding_(*binding),
      columns_(binding->ordinals_.size()),
      ranges_(binding->ranges_.size()),
      passes_(binding->predicates_.size()),
      pass_bytes_(binding->predicates_.size()),
      translations_(binding->blueprint_.num_translations),
      translation_bytes_(binding->blueprint_.num_translations),
      texts_(binding->context_.budget, binding->key_interner_) {
  call_.columns = columns_.data();
  call_.ranges = ranges_.data();
  call_.passes = passes_.data();
  call_.directs = binding->directs_.data();
  call_.hashes = binding->hashes_.data();
  call_.payloads = binding->payloads_.data();
  call_.literals = binding->literals_->literals();
  call_.lists = binding->literals_->lists();
  call_.translations = translations_.data();
  const schedule::CancelToken* cancel = binding->context_.workers.cancel;
  call_.cancelled = cancel == nullptr ? nullptr : cancel->flag();
  texts_.Bind(&call_);
}

base::Status WorkerCall::Bind(int segment) {
  if (segment == bound_segment_) return base::Status::OK();
  bound_segment_ = -1;
  SVM_ASSIGN_OR_RETURN(segment_, binding_.ReadSegment(segment));
  BindColumns();
  BindSegmentRanges();
  SVM_RETURN_NOT_OK(BindPasses());
  SVM_RETURN_NOT_OK(BindTranslations());
  bound_segment_ = segment;
  return base::Status::OK();
}

void WorkerCall::BindColumns() {
  for (size_t i = 0; i < columns_.size(); ++i) {
    const columns::ColumnSegment& column = *segment_->columns[i];
    const auto dictionary = binding_.source_.table->dictionary(binding_.ordinals_[i]);
    columns_[i] = {column.data->data(),
                   column.offsets == nullptr ? nullptr : column.offsets->as<kernels::u32>(),
                   column.validity == nullptr ? nullptr : column.validity->as<kernels::u64>(),
                   column.base, dictionary == nullptr ? nullptr : dictionary->texts()};
  }
}

void WorkerCall::BindSegmentRanges() {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const int column = binding_.blueprint_.ranges[i].column;
    ranges_[i] = BindRange(binding_.ranges_[i], segment_->columns[column]->base,
                           binding_.blueprint_.columns[column].layout.width);
  }
}

base::Status WorkerCall::BindPasses() {
  SVM_ASSIGN_OR_RETURN(pass_bytes_, binding_.EvaluatePredicates());
  for (size_t i = 0; i < passes_.size(); ++i) passes_[i] = {pass_bytes_[i]->data()};
  return base::Status::OK();
}

base::Status WorkerCall::BindTranslations() {
  SVM_ASSIGN_OR_RETURN(translation_bytes_, binding_.TranslateKeys());
  for (size_t i = 0; i < translations_.size(); ++i) {
    translations_[i] = {translation_bytes_[i]->as<kernels::u32>()};
  }
  return base::Status::OK();
}

base::Status WorkerCall::TakeError() {
  const kernels::u32 code = call_.error;
  call_.error = 0;
  if (code == 0) return base::Status::OK();
  SVM_RETURN_NOT_OK(texts_.status());
  return base::MakeError(static_cast<base::ErrorCode>(code), binding_.blueprint_.title);
}

}  // namespace shadowvm::exec
