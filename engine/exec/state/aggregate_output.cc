// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/accumulator.h"
#include "engine/exec/state/dispatch.h"
#include "engine/kernels/common/decimal.h"
#include "engine/kernels/cpu/accumulate.h"

// Results of aggregates from their accumulators, by Spark's rules.
namespace shadowvm::exec {
namespace {

using kernels::i128;
using kernels::load_value;

// The groups' rows and where their results go.
struct Target {
  const AggregateOutput& output;
  std::span<const Accumulator> accumulators;
  const int64_t* const* groups;
  int64_t count;
  int64_t at;
  RowData* data;

  const Accumulator& accumulator() const { return accumulators[output.accumulator]; }
  int64_t inputs(int64_t i) const {
    return output.count < 0 ? 1 : groups[i][accumulators[output.count].word];
  }
  void SetValid(int64_t i, bool valid) const {
    if (data->valid != nullptr) data->valid->data()[at + i] = valid;
  }
};

// Writes result(words, i, &value) for every group that has inputs; 'result' is false where there is
// none, which is null or an error.
template <typename Stored, typename Value, typename Result>
base::Status ForEachGroup(const Target& target, Result&& result) {
  auto* out = target.data->data->as<Stored>() + target.at;
  const int word = target.accumulator().word;
  for (int64_t i = 0; i < target.count; ++i) {
    Value value{};
    bool valid = target.output.count < 0 || target.inputs(i) > 0;
    if (valid && !result(target.groups[i] + word, i, &value)) {
      if (target.output.on_overflow == OnOverflow::kError) {
        return base::MakeError(base::ErrorCode::kOverflow,
                               "an aggregate does not fit " + target.output.column.type.ToString());
      }
      valid = false;
    }
    out[i] = static_cast<Stored>(value);
    target.SetValid(i, valid);
  }
  return base::Status::OK();
}

i128 LoadWide(AccumulatorKind kind, const int64_t* words) {
  return WordsOf(kind) == 2 ? load_value<i128>(words) : i128{*words};
}

bool FitsInteger(i128 value, int width) {
  return DispatchInteger(width, [&](auto zero) {
    return value == static_cast<i128>(static_cast<decltype(zero)>(value));
  });
}

// Words that are results as they are.
template <typename Stored>
base::Status CopyWords(const Target& target) {
  auto* const out = target.data->data->as<Stored>() + target.at;
  const int word = target.accumulator().word;
  for (int64_t i = 0; i < target.count; ++i) {
    out[i] = static_cast<Stored>(target.groups[i][word]);
    target.SetValid(i, true);
  }
  return base::Status::OK();
}

// An integer or decimal as it was accumulated.
template <typename Stored>
base::Status FinaliseInteger(const Target& target) {
  const columns::Type type = target.output.column.type;
  const AccumulatorKind kind = target.accumulator().kind;
  const bool wraps = target.output.on_overflow == OnOverflow::kWrap;
  if (wraps && !type.is_decimal() && WordsOf(kind) == 1 && target.output.count < 0) {
    return CopyWords<Stored>(target);
  }
  return ForEachGroup<Stored, i128>(target, [=](const int64_t* words, int64_t, i128* value) {
    *value = LoadWide(kind, words);
    if (type.is_decimal()) return kernels::decimal_fits(*value, type.precision);
    return wraps || FitsInteger(*value, sizeof(Stored));
  });
}

template <typename Stored>
base::Status FinaliseDecimalAverage(const Target& target) {
  const columns::Type type = target.output.column.type;
  const AccumulatorKind kind = target.accumulator().kind;
  return ForEachGroup<Stored, i128>(target, [&](const int64_t* words, int64_t i, i128* value) {
    const i128 sum = LoadWide(kind, words);
    return kernels::decimal_fits(sum, kernels::kMaxPrecision) &&
           kernels::decimal_divide(sum, target.output.sum_scale, target.inputs(i), 0,
                                   type.precision, type.scale, value);
  });
}

template <typename Stored>
base::Status FinaliseFloat(const Target& target) {
  const AccumulatorKind kind = target.accumulator().kind;
  const bool integers = kind == AccumulatorKind::kSumI64 || kind == AccumulatorKind::kSumI128;
  return ForEachGroup<Stored, double>(target, [&](const int64_t* words, int64_t i, double* value) {
    *value = integers ? static_cast<double>(LoadWide(kind, words)) : load_value<double>(words);
    if (target.output.average) *value /= static_cast<double>(target.inputs(i));
    return true;
  });
}

base::Status FinaliseText(const Target& target) {
  using kernels::Text;
  return ForEachGroup<Text, Text>(target, [](const int64_t* words, int64_t, Text* value) {
    const auto text = load_value<Text>(words);
    *value = text.size == 0 ? Text{"", 0, 0} : text;
    return true;
  });
}

}  // namespace

base::Status Finalise(const AggregateOutput& output, std::span<const Accumulator> accumulators,
                      const int64_t* const* groups, int64_t count, int64_t at, RowData* data) {
  const Target target{output, accumulators, groups, count, at, data};
  const RowColumn& column = output.column;
  if (column.kind == RowColumn::Kind::kText) return FinaliseText(target);
  if (column.type.kind == columns::TypeKind::kFloat) return FinaliseFloat<float>(target);
  if (column.type.kind == columns::TypeKind::kDouble) return FinaliseFloat<double>(target);
  if (output.average) {
    return column.type.is_wide() ? FinaliseDecimalAverage<i128>(target)
                                 : FinaliseDecimalAverage<int64_t>(target);
  }
  if (column.type.is_wide()) return FinaliseInteger<i128>(target);
  return DispatchInteger(column.width(),
                         [&](auto zero) { return FinaliseInteger<decltype(zero)>(target); });
}

}  // namespace shadowvm::exec
