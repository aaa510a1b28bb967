// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/kernel_arguments.h"

#include <algorithm>

#include "engine/exec/interpret/interpreter.h"
#include "engine/kernels/common/compare.h"
#include "engine/kernels/common/text_match.h"

namespace shadowvm::exec {
namespace {

using vkernel::ValueClass;

template <typename T, typename Less>
void SortDistinct(std::vector<T>* items, const Less& less) {
  std::sort(items->begin(), items->end(), less);
  const auto same = [&](const T& a, const T& b) { return !less(a, b) && !less(b, a); };
  items->erase(std::unique(items->begin(), items->end(), same), items->end());
}

}  // namespace

LiteralArguments::LiteralArguments(const vkernel::Arguments& arguments) {
  for (const vkernel::LiteralArgument& literal : arguments.literals) {
    kernels::LiteralView view{};
    switch (vkernel::ClassOf(literal.type)) {
      case ValueClass::kBool:
      case ValueClass::kInt:
        view.integer = literal.value.int64();
        break;
      case ValueClass::kWide:
        view.wide = literal.value.integer;
        break;
      case ValueClass::kFloat:
      case ValueClass::kDouble:
        view.real = literal.value.number;
        break;
      case ValueClass::kText:
        view.text = Keep(literal.value.text);
        break;
    }
    literals_.push_back(view);
    is_text_.push_back(literal.type.is_text());
  }
  for (const vkernel::ListArgument& list : arguments.lists) lists_.push_back(MakeList(list));
}

kernels::Text LiteralArguments::Keep(const std::string& text) {
  const std::string& kept = texts_.emplace_back(text);
  return kernels::make_text(kept.data(), static_cast<kernels::u32>(kept.size()));
}

kernels::ListView LiteralArguments::MakeList(const vkernel::ListArgument& list) {
  kernels::ListView view{};
  if (list.type.is_text()) {
    std::vector<kernels::Text>& items = text_lists_.emplace_back();
    for (const plan::Literal& item : list.items) items.push_back(Keep(item.text));
    SortDistinct(&items, [](const kernels::Text& a, const kernels::Text& b) {
      return kernels::text_compare(a, b) < 0;
    });
    view.texts = items.data();
    view.count = items.size();
  } else if (list.type.is_float()) {
    std::vector<double>& items = reals_.emplace_back();
    for (const plan::Literal& item : list.items) items.push_back(item.number);
    SortDistinct(&items, [](double a, double b) { return kernels::float_less(a, b); });
    view.reals = items.data();
    view.count = items.size();
  } else {
    std::vector<int64_t>& items = integers_.emplace_back();
    for (const plan::Literal& item : list.items) items.push_back(item.int64());
    SortDistinct(&items, std::less<>());
    view.integers = items.data();
    view.count = items.size();
  }
  return view;
}

base::Result<DictionaryPredicate::Bytes> DictionaryPredicate::Evaluate() {
  std::lock_guard lock(mutex_);
  const uint32_t begin = bytes_ == nullptr ? 0 : static_cast<uint32_t>(bytes_->size());
  const uint32_t end = dictionary_->size();
  if (bytes_ != nullptr && begin >= end) return bytes_;
  auto bytes = std::make_shared<std::vector<uint8_t>>(end);
  if (bytes_ != nullptr) std::copy(bytes_->begin(), bytes_->end(), bytes->begin());
  SVM_RETURN_NOT_OK(
      EvaluateOverDictionary(*predicate_, 0, *dictionary_, begin, end, bytes->data()));
  num_passing_ = std::count(bytes->begin(), bytes->end(), 1);
  bytes_ = std::move(bytes);
  return bytes_;
}

double DictionaryPredicate::selectivity() const {
  std::lock_guard lock(mutex_);
  if (bytes_ == nullptr || bytes_->empty()) return 0.5;
  return static_cast<double>(num_passing_) / static_cast<double>(bytes_->size());
}

}  // namespace shadowvm::exec
