// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <span>
#include <string>

#include "engine/exec/query_context.h"
#include "engine/exec/state/hash_filler.h"
#include "engine/vkernel/compile/program_cache.h"

namespace shadowvm::exec {

// Enters the rows of one build side for a query that has a GPU: cores do, or the GPU where it is
// asked for or predicted to be faster, and does not fail. Statistics tell who did it, why, and the
// predicted and the real time.
class HashFillRun : public HashFiller {
 public:
  // What is to be filled. The last three are for the report.
  struct Table {
    const RowSet& rows;
    std::span<const int> key_columns;
    std::string build;
    int pipeline = 0;
    int step = 0;
  };
  // Chooses, and comes by the GPU's program, which may take its time.
  HashFillRun(const QueryContext& context, const Table& table);

  base::Result<HashFilled> Fill(const HashFill& fill, const OnCores& on_cores) override;

 private:
  void Choose(int64_t link_bytes);
  base::Status FindProgram();
  // The rows are cores' after all.
  void TurnToCores(const base::Status& why);
  base::Result<HashFilled> OnGpu(const HashFill& fill);
  base::Result<std::shared_ptr<memory::Buffer>> RowsTakingPart(const HashFill& fill) const;
  void NoteTime(schedule::Side side, double milliseconds);
  // A table that is made once more, because planning begins anew, is told of once.
  void Report();

  const QueryContext& context_;
  FillDevices report_;
  uint64_t shape_;
  vkernel::ProgramCache::Loaded program_;
};

}  // namespace shadowvm::exec
