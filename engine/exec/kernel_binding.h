// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/exec/kernel_arguments.h"
#include "engine/exec/prepared_join.h"
#include "engine/exec/query_context.h"
#include "engine/exec/source_view.h"
#include "engine/exec/state/kernel_texts.h"
#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::exec {

// Everything a pipeline's kernel is called with that does not change from segment to segment.
// Shared by workers.
class PipelineBinding {
 public:
  static base::Result<std::unique_ptr<PipelineBinding>> Make(
      const QueryContext& context, const vkernel::Blueprint& blueprint,
      const vkernel::Arguments& arguments, const SourceView& source,
      const std::vector<PreparedJoin>& joins);

  // Whether a segment can hold rows that pass, by its zones.
  bool MayPass(int segment) const;
  bool IsResident(int segment) const { return source_.table->IsResident(segment, ordinals_); }
  const vkernel::Blueprint& blueprint() const { return blueprint_; }
  const SourceView& source() const { return source_; }
  const std::vector<PreparedJoin>& joins() const { return joins_; }
  // Of a join's form.
  const kernels::HashView& hash(int slot) const { return hashes_[static_cast<size_t>(slot)]; }
  const ValueRange& range(int slot) const { return ranges_[slot]; }
  const DictionaryPredicate& predicate(int slot) const { return *predicates_[slot]; }
  // Of the source's segments those in memory, with the columns a kernel reads; null for others.
  std::vector<std::shared_ptr<const columns::Segment>> FindResident(
      std::span<const int> segments) const {
    return source_.table->FindResident(segments, ordinals_);
  }
  // The source's segment, with the columns a kernel reads.
  base::Result<std::shared_ptr<const columns::Segment>> ReadSegment(int segment) const {
    return source_.table->Read(segment, ordinals_, filters_, &context_.stats->spans);
  }
  // By slot: a byte for each dictionary entry there is now.
  base::Result<std::vector<DictionaryPredicate::Bytes>> EvaluatePredicates() const;
  // By slot: an id for each entry that the dictionary of a join's key has now.
  using Translation = std::shared_ptr<const memory::Buffer>;
  base::Result<std::vector<Translation>> TranslateKeys() const;
  const LiteralArguments& literals() const { return *literals_; }
  // Group keys that are plain strings become ids of this interner.
  void set_key_interner(TextInterner* interner) { key_interner_ = interner; }
  // Takes the joins' views anew, after group codes were added to their tables.
  void RefreshJoins() { BindJoins(); }
  // What strings that leave the pipeline may point into.
  std::vector<Keeper> keepers() const;

 private:
  friend class WorkerCall;

  PipelineBinding(const QueryContext& context, const vkernel::Blueprint& blueprint,
                  const vkernel::Arguments& arguments, const SourceView& source,
                  const std::vector<PreparedJoin>& joins);
  void BindRanges();
  base::Status BindPredicates();
  // Where strings that are keys of joins are looked up.
  base::Status IndexTexts();
  void BindJoins();
  base::Result<Translation> Translate(size_t join, int input) const;

  const QueryContext& context_;
  const vkernel::Blueprint& blueprint_;
  const SourceView& source_;
  const std::vector<PreparedJoin>& joins_;
  std::shared_ptr<LiteralArguments> literals_;
  std::vector<int> ordinals_;  // of the columns a kernel reads, in the table
  std::vector<ValueRange> ranges_;
  std::vector<columns::ZoneFilter> filters_;
  std::vector<std::unique_ptr<DictionaryPredicate>> predicates_;
  std::vector<kernels::DirectView> directs_;
  std::vector<kernels::HashView> hashes_;
  std::vector<std::shared_ptr<const TextIndex>> text_indexes_;  // by join; null: nobody asks
  std::vector<kernels::PayloadView> payloads_;
  TextInterner* key_interner_ = nullptr;
};

// The argument block of one worker's calls, bound to one segment at a time.
class WorkerCall {
 public:
  explicit WorkerCall(PipelineBinding* binding);
  WorkerCall(const WorkerCall&) = delete;
  WorkerCall& operator=(const WorkerCall&) = delete;

  // Reads the segment and points the call at it. The segment stays in memory until the next one is
  // bound.
  base::Status Bind(int segment);
  kernels::KernelCall& call() { return call_; }
  const columns::Segment& segment() const { return *segment_; }

  // The error that the last call left, if any.
  base::Status TakeError();
  // Owns copies of strings that kernels made.
  Keeper text_keeper() const { return texts_.arena(); }

 private:
  void BindColumns();
  void BindSegmentRanges();
  base::Status BindPasses();
  base::Status BindTranslations();

  PipelineBinding& binding_;
  kernels::KernelCall call_{};
  int bound_segment_ = -1;
  std::shared_ptr<const columns::Segment> segment_;
  std::vector<kernels::ColumnView> columns_;
  std::vector<kernels::RangeView> ranges_;
  std::vector<kernels::PassView> passes_;
  std::vector<DictionaryPredicate::Bytes> pass_bytes_;
  std::vector<kernels::TranslationView> translations_;
  std::vector<PipelineBinding::Translation> translation_bytes_;
  KernelTexts texts_;
};

}  // namespace shadowvm::exec
