// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_call.h"

#include <cstddef>

#include "engine/vkernel/render/row_scope.h"

namespace shadowvm::exec {
namespace {

// From columns to order a call has nothing but arrays, each of which place_arrays knows.
static_assert(offsetof(kernels::KernelCall, num_steps) == 10 * sizeof(void*));

// A table without what a kernel on a GPU does not look at.
kernels::DirectView WriteDirect(LaunchWriter* writer, const JoinTable& table) {
  if (table.on_device()) return table.on_device()->view;
  const kernels::DirectView host = table.direct();
  const auto size = static_cast<int64_t>(host.size);
  kernels::DirectView view = host;
  view.bits = writer->AddData(host.bits, size / 8 + 1);
  view.bytes = nullptr;
  view.codes = writer->AddData(host.codes, size);
  view.rows = writer->AddData(host.rows, size);
  view.next = writer->AddData(host.next, table.rows().num_rows);
  return view;
}

// 'texts' are strings of its keys, where they are looked up.
kernels::HashView WriteHash(LaunchWriter* writer, const kernels::HashView& host, int64_t num_rows,
                            int key_words, const kernels::Text* texts) {
  kernels::HashView view = host;
  view.slots = writer->AddData(host.slots, static_cast<int64_t>(host.mask) + 1);
  view.keys = writer->AddData(host.keys, num_rows * key_words);
  view.codes = writer->AddData(host.codes, num_rows);
  view.next = writer->AddData(host.next, num_rows);
  if (host.texts.slots == nullptr) return view;
  view.texts.slots = writer->AddData(host.texts.slots, static_cast<int64_t>(host.texts.mask) + 1);
  view.texts.texts = texts;
  view.texts.ids = writer->AddData(host.texts.ids, static_cast<int64_t>(host.texts.count));
  return view;
}

// 'texts' are its strings, where they are read: those of its dictionary, or of the rows.
kernels::PayloadView WritePayload(LaunchWriter* writer, const RowSet& rows, int column,
                                  const kernels::Text* texts) {
  const kernels::PayloadView host = rows.payload(column);
  const RowColumn& of = rows.columns[static_cast<size_t>(column)].column;
  kernels::PayloadView view{};
  view.texts = texts;
  view.data = of.kind == RowColumn::Kind::kText
                  ? texts
                  : writer->AddData(host.data, rows.num_rows * of.width(), 16);
  view.valid = writer->AddData(host.valid, rows.num_rows);
  return view;
}

kernels::ListView WriteList(LaunchWriter* writer, const kernels::ListView& host,
                            TextWriter* texts) {
  const auto count = static_cast<int64_t>(host.count);
  kernels::ListView view{};
  view.integers = writer->AddData(host.integers, count);
  view.reals = writer->AddData(host.reals, count);
  if (host.texts != nullptr) view.texts = texts->Write(TextList{host.texts, nullptr, count});
  view.count = host.count;
  return view;
}

const kernels::LiteralView* WriteLiterals(LaunchWriter* writer, const LiteralArguments& literals,
                                          TextWriter* texts) {
  std::vector<kernels::LiteralView> views(literals.literals(),
                                          literals.literals() + literals.num_literals());
  for (size_t i = 0; i < views.size(); ++i) {
    if (literals.is_text(i)) views[i].text = texts->Write(views[i].text);
  }
  return writer->AddArray(views.data(), static_cast<int64_t>(views.size()));
}

template <typename T>
const T* WriteArray(LaunchWriter* writer, const std::vector<T>& values) {
  return writer->AddArray(values.data(), static_cast<int64_t>(values.size()));
}

}  // namespace

kernels::KernelCall WriteCall(const LaunchInputs& inputs, LaunchWriter* writer) {
  const PipelineBinding& binding = inputs.binding;
  const vkernel::Blueprint& blueprint = binding.blueprint();
  kernels::KernelCall call{};

  TextWriter texts(writer, inputs.origins);
  std::vector<kernels::ColumnView> columns(blueprint.columns.size());
  for (size_t i = 0; i < columns.size(); ++i)
    columns[i].texts = texts.Write(inputs.texts.columns[i]);
  std::vector<kernels::RangeView> ranges;
  for (size_t i = 0; i < blueprint.ranges.size(); ++i) {
    const ValueRange& range = binding.range(static_cast<int>(i));
    const auto low = static_cast<kernels::u64>(range.min);
    ranges.push_back({low, static_cast<kernels::u64>(range.max) - low});
  }
  std::vector<kernels::PassView> passes;
  for (const DictionaryPredicate::Bytes& bytes : inputs.predicates) {
    passes.push_back({writer->AddData(bytes->data(), static_cast<int64_t>(bytes->size()))});
  }
  std::vector<kernels::DirectView> directs;
  std::vector<kernels::HashView> hashes;
  for (size_t i = 0; i < blueprint.joins.size(); ++i) {
    const JoinTable& table = *binding.joins()[i].table;
    const vkernel::Join& join = blueprint.joins[i];
    if (join.form == vkernel::JoinForm::kHash) {
      hashes.push_back(WriteHash(writer, binding.hash(join.slot), table.rows().num_rows,
                                 vkernel::KeyWords(join.keys),
                                 texts.Write(inputs.texts.keys[hashes.size()])));
    } else {
      directs.push_back(WriteDirect(writer, table));
    }
  }
  std::vector<kernels::PayloadView> payloads;
  for (size_t i = 0; i < blueprint.payloads.size(); ++i) {
    const vkernel::PayloadColumn& payload = blueprint.payloads[i];
    payloads.push_back(payload.used
                           ? WritePayload(writer, *binding.joins()[payload.join].build->rows,
                                          payload.column, texts.Write(inputs.texts.payloads[i]))
                           : kernels::PayloadView{});
  }
  std::vector<kernels::ListView> lists;
  const LiteralArguments& literals = binding.literals();
  for (size_t i = 0; i < literals.num_lists(); ++i) {
    lists.push_back(WriteList(writer, literals.lists()[i], &texts));
  }

  std::vector<kernels::TranslationView> translations;
  for (const auto& ids : inputs.translations) {
    translations.push_back({writer->AddData(ids->as<kernels::u32>(), ids->size() / 4)});
  }

  call.columns = WriteArray(writer, columns);
  call.ranges = WriteArray(writer, ranges);
  call.passes = WriteArray(writer, passes);
  call.directs = WriteArray(writer, directs);
  call.hashes = WriteArray(writer, hashes);
  call.payloads = WriteArray(writer, payloads);
  call.lists = WriteArray(writer, lists);
  call.translations = WriteArray(writer, translations);
  call.literals = WriteLiterals(writer, literals, &texts);
  return call;
}

}  // namespace shadowvm::exec
