// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/key_words.h"

#include <bit>

#include "engine/exec/state/dispatch.h"
#include "engine/kernels/common/compare.h"

namespace shadowvm::exec {
namespace {

// Where the words of one key column go.
struct Target {
  uint64_t* words;
  int stride;
};

template <typename Function>
void ForEachValid(const RowData& data, int64_t num_rows, Target target, Function&& word) {
  for (int64_t row = 0; row < num_rows; ++row) {
    target.words[row * target.stride] = data.is_valid(row) ? word(row) : 0;
  }
}

void FillWide(const RowData& data, int64_t num_rows, Target target) {
  const auto* values = data.values<unsigned __int128>();
  ForEachValid(data, num_rows, target, [=](int64_t r) { return static_cast<uint64_t>(values[r]); });
  ForEachValid(data, num_rows, {target.words + 1, target.stride},
               [=](int64_t r) { return static_cast<uint64_t>(values[r] >> 64); });
}

void FillFloats(const RowData& data, int64_t num_rows, Target target) {
  const bool narrow = data.column.width() == 4;
  ForEachValid(data, num_rows, target, [&](int64_t row) {
    return kernels::float_key(narrow ? data.values<float>()[row] : data.values<double>()[row]);
  });
}

base::Status FillTexts(const RowData& data, int64_t num_rows, TextInterner* interner,
                       Target target) {
  for (int64_t row = 0; row < num_rows; ++row) {
    uint64_t& word = target.words[row * target.stride];
    word = 0;
    if (!data.is_valid(row)) continue;
    SVM_ASSIGN_OR_RETURN(word, interner->Intern(data.TextAt(row)));
  }
  return base::Status::OK();
}

// Each string is interned once, however many rows have its code.
base::Status FillCodes(const RowData& data, int64_t num_rows, TextInterner* interner,
                       Target target) {
  std::vector<uint32_t> ids(data.column.dictionary->size(), kernels::kNoRow);
  const auto* codes = data.values<uint32_t>();
  for (int64_t row = 0; row < num_rows; ++row) {
    uint64_t& word = target.words[row * target.stride];
    word = 0;
    if (!data.is_valid(row)) continue;
    uint32_t& id = ids[codes[row]];
    if (id == kernels::kNoRow) {
      SVM_ASSIGN_OR_RETURN(id, interner->Intern(data.TextAt(row)));
    }
    word = id;
  }
  return base::Status::OK();
}

base::Status FillColumn(const RowData& data, int64_t num_rows, TextInterner* interner,
                        Target target) {
  if (data.column.kind == RowColumn::Kind::kCodes) {
    return FillCodes(data, num_rows, interner, target);
  }
  if (data.column.kind == RowColumn::Kind::kText) {
    return FillTexts(data, num_rows, interner, target);
  }
  if (data.column.type.is_wide()) {
    FillWide(data, num_rows, target);
  } else if (data.column.type.is_float()) {
    FillFloats(data, num_rows, target);
  } else {
    DispatchInteger(data.column.width(), [&](auto zero) {
      const auto* values = data.values<decltype(zero)>();
      ForEachValid(data, num_rows, target, [=](int64_t row) {
        return static_cast<uint64_t>(static_cast<int64_t>(values[row]));
      });
    });
  }
  return base::Status::OK();
}

template <typename T, typename Function>
void Emit(RowData* data, int64_t at, int64_t count, Function&& value) {
  T* out = data->data->as<T>() + at;
  for (int64_t i = 0; i < count; ++i) out[i] = value(i);
}

}  // namespace

int KeyWords(const RowColumn& column) {
  return column.kind == RowColumn::Kind::kValue && column.type.is_wide() ? 2 : 1;
}

base::Status FillKeyWords(const RowSet& rows, std::span<const int> keys, TextInterner* interner,
                          uint64_t* words) {
  int stride = 0;
  for (const int key : keys) stride += KeyWords(rows.columns[key].column);
  for (const int key : keys) {
    const RowData& data = rows.columns[key];
    SVM_RETURN_NOT_OK(FillColumn(data, rows.num_rows, interner, {words, stride}));
    words += KeyWords(data.column);
  }
  return base::Status::OK();
}

void EmitKeyWords(const int64_t* const* words, int64_t count, const TextInterner* interner,
                  int64_t at, RowData* data) {
  const RowColumn& column = data->column;
  if (column.kind == RowColumn::Kind::kText) {
    Emit<kernels::Text>(data, at, count, [&](int64_t i) {
      return data->is_valid(at + i) ? interner->At(static_cast<uint32_t>(words[i][0]))
                                    : kernels::Text{"", 0, 0};
    });
  } else if (column.type.is_wide()) {
    Emit<unsigned __int128>(data, at, count, [&](int64_t i) {
      const auto low = static_cast<uint64_t>(words[i][0]);
      return static_cast<unsigned __int128>(static_cast<uint64_t>(words[i][1])) << 64 | low;
    });
  } else if (column.kind == RowColumn::Kind::kValue && column.type.is_float()) {
    const auto value = [&](int64_t i) { return std::bit_cast<double>(words[i][0]); };
    if (column.width() == 8) return Emit<double>(data, at, count, value);
    Emit<float>(data, at, count, [&](int64_t i) { return static_cast<float>(value(i)); });
  } else {
    DispatchInteger(column.width(), [&](auto zero) {
      using T = decltype(zero);
      Emit<T>(data, at, count, [&](int64_t i) { return static_cast<T>(words[i][0]); });
    });
  }
}

}  // namespace shadowvm::exec
