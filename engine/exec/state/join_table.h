// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/exec/state/hash_filler.h"
#include "engine/exec/state/join_shape.h"
#include "engine/exec/state/row_set.h"
#include "engine/exec/state/text_index.h"
#include "engine/exec/state/text_interner.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {

struct JoinTableOptions {
  JoinShape shape;
  std::vector<int> keys;                    // ordinals in the build rows
  bool rows = true;                         // build rows are looked up; false: existence and codes
  std::optional<columns::Zone> probe_zone;  // what an unchecked direct table spans
};

// The build side of a join, ready to be probed. Rows with a null in a key are in no table. Build
// rows of one key form a chain in ascending order. Fault point exec.join.build.
class JoinTable {
 public:
  // A filler, which may be null, is asked for tables by hash.
  static base::Result<std::unique_ptr<JoinTable>> Build(std::shared_ptr<const RowSet> rows,
                                                        JoinTableOptions options,
                                                        memory::MemoryBudget* budget,
                                                        const schedule::Workers& workers,
                                                        HashFiller* filler = nullptr);

  // A direct table that a device has made in its memory; if keys repeat nobody asks for rows.
  struct DeviceMade {
    kernels::DirectView view;              // the device's
    std::shared_ptr<const void> memory;    // behind it, to be held
    std::shared_ptr<memory::Buffer> bits;  // the host's copy of the view's, padded by 8 zeros
  };
  // It is for kernels of that device: the host knows of it which keys there are, and 'rows' has
  // columns but no rows.
  static std::unique_ptr<JoinTable> OnDevice(std::shared_ptr<const RowSet> rows,
                                             JoinTableOptions options, DeviceMade made,
                                             memory::MemoryBudget* budget);
  // What a device has made; nothing where the host has.
  const std::optional<DeviceMade>& on_device() const { return made_; }

  const JoinShape& shape() const { return options_.shape; }
  const RowSet& rows() const { return *rows_; }
  // No key has two build rows.
  bool unique() const { return num_rows_ == num_keys_; }
  int64_t num_keys() const { return num_keys_; }  // distinct
  // Every key that a probe can ask for is there: the step may be left out (unchecked direct only).
  bool covers_probes() const;
  // Of a single integer key, over the rows in the table; not known otherwise, or without rows.
  const columns::Zone& key_zone() const { return key_zone_; }

  // Group codes: codes[r] is that of build row r, 0 = none. For unique keys.
  base::Status AddCodes(std::span<const uint16_t> codes, const schedule::Workers& workers);
  // One that shares all with it but has codes of its own.
  base::Result<std::unique_ptr<JoinTable>> WithCodes(std::span<const uint16_t> codes,
                                                     const schedule::Workers& workers) const;

  kernels::DirectView direct() const;
  kernels::HashView hash() const;
  // The bytes behind those views, in no order.
  std::vector<std::shared_ptr<memory::Buffer>> buffers() const;

  // String keys: the id of a string of the build side, or kNoRow.
  uint32_t FindText(const kernels::Text& text) const { return interner_->Find(text); }
  // Where kernels find those ids by strings; made on the first call. Thread-safe.
  base::Result<std::shared_ptr<const TextIndex>> IndexTexts();
  // Ids for the codes of a probe column's dictionary, at least as many as it has entries now.
  // Extended as it grows; earlier arrays stay valid as long as they are held. Thread-safe.
  base::Result<std::shared_ptr<const memory::Buffer>> Translate(
      const std::shared_ptr<const columns::Dictionary>& dictionary);

 private:
  JoinTable(std::shared_ptr<const RowSet> rows, JoinTableOptions options,
            memory::MemoryBudget* budget);

  base::Status BuildDirect(const schedule::Workers& workers);
  base::Status ChooseSpan();
  base::Status FillDirect(const schedule::Workers& workers);
  void MakeBytes();
  void CountBits();
  base::Status BuildHash(const schedule::Workers& workers, HashFiller* filler);
  base::Result<HashFilled> FillHash(const schedule::Workers& workers) const;
  base::Status MakeNext();

  std::shared_ptr<const RowSet> rows_;
  JoinTableOptions options_;
  memory::MemoryBudget* budget_;
  int64_t num_rows_ = 0;  // in the table
  int64_t num_keys_ = 0;
  columns::Zone key_zone_;
  std::shared_ptr<memory::Buffer> next_;
  std::shared_ptr<memory::Buffer> codes_;

  // Direct.
  std::optional<DeviceMade> made_;
  int64_t base_ = 0;
  uint64_t size_ = 0;
  std::shared_ptr<memory::Buffer> bits_;
  std::shared_ptr<memory::Buffer> bytes_;
  std::shared_ptr<memory::Buffer> row_numbers_;

  // Hash.
  int key_words_ = 0;
  uint64_t mask_ = 0;
  std::shared_ptr<memory::Buffer> slots_;
  std::shared_ptr<memory::Buffer> keys_;
  std::shared_ptr<TextInterner> interner_;

  struct Translation {
    std::weak_ptr<const columns::Dictionary> of;  // whose address may be another's once it has gone
    uint32_t size = 0;
    std::shared_ptr<const memory::Buffer> ids;
  };
  std::mutex texts_mutex_;
  std::shared_ptr<const TextIndex> text_index_;
  std::map<const columns::Dictionary*, Translation> translations_;
};

}  // namespace shadowvm::exec
