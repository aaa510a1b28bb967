// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_texts.h"

#include <algorithm>
#include <string>

#include "engine/vkernel/render/target.h"

namespace shadowvm::exec {
namespace {

// Every launch brings them anew.
constexpr int64_t kMostBytes = int64_t{16} << 20;

bool IsThere(const TextList& list, int64_t i) {
  return list.valid == nullptr || list.valid[i] != 0;
}

int64_t BytesOf(const TextList& list) {
  int64_t bytes = list.count * int64_t{sizeof(kernels::Text)};
  for (int64_t i = 0; i < list.count; ++i) {
    if (IsThere(list, i)) bytes += list.texts[i].size;
  }
  return bytes;
}

TextList EntriesOf(const columns::Dictionary& dictionary) {
  return {dictionary.texts(), nullptr, dictionary.size()};
}

TextList TextsOfColumn(const PipelineBinding& binding, int column) {
  const vkernel::SourceColumn& source = binding.blueprint().columns[column];
  // A plain string's bytes are its segment's.
  if (source.layout.encoding != columns::Encoding::kCodes) return {};
  return EntriesOf(*binding.source().table->dictionary(source.ordinal));
}

TextList TextsOfPayload(const PipelineBinding& binding, int index) {
  const vkernel::PayloadColumn& payload = binding.blueprint().payloads[index];
  const RowSet& rows = *binding.joins()[payload.join].build->rows;
  const RowData& data = rows.columns[static_cast<size_t>(payload.column)];
  if (payload.kind == vkernel::RowKind::kCodes) return EntriesOf(*data.column.dictionary);
  const kernels::PayloadView view = rows.payload(payload.column);
  return {static_cast<const kernels::Text*>(view.data), view.valid, rows.num_rows};
}

}  // namespace

void TextOrigins::Add(device::DeviceAddress address, const void* host, int64_t bytes) {
  is_sorted_ = is_sorted_ && (origins_.empty() || origins_.back().begin <= address);
  origins_.push_back({address, static_cast<const char*>(host), bytes});
}

base::Result<kernels::Text> TextOrigins::Find(const kernels::Text& on_device) {
  if (on_device.size == 0) return kernels::Text{};
  const auto before = [](const Origin& a, const Origin& b) { return a.begin < b.begin; };
  if (!is_sorted_) std::stable_sort(origins_.begin(), origins_.end(), before);
  is_sorted_ = true;
  const auto address = reinterpret_cast<device::DeviceAddress>(on_device.data);
  const auto after = std::upper_bound(origins_.begin(), origins_.end(), Origin{address}, before);
  if (after != origins_.begin()) {
    const Origin& origin = *std::prev(after);
    const uint64_t at = address - origin.begin;
    if (at + on_device.size <= static_cast<uint64_t>(origin.bytes)) {
      return kernels::Text{origin.host + at, on_device.size, on_device.prefix};
    }
  }
  if (others_ != nullptr) return others_->Find(on_device);
  return base::MakeError(base::ErrorCode::kInternal, "a string that the GPU was not given");
}

base::Result<LaunchTexts> FindTexts(const PipelineBinding& binding) {
  const vkernel::Blueprint& blueprint = binding.blueprint();
  const std::vector<bool> read = vkernel::TextsRead(blueprint);
  LaunchTexts found;
  found.leave = vkernel::TextsLeave(blueprint);
  found.columns.resize(blueprint.columns.size());
  found.payloads.resize(blueprint.payloads.size());
  int64_t bytes = 0;
  for (size_t i = 0; i < read.size(); ++i) {
    if (!read[i]) continue;
    const vkernel::Input& input = blueprint.inputs[i];
    TextList& list =
        (input.is_payload ? found.payloads : found.columns)[static_cast<size_t>(input.index)];
    list = input.is_payload ? TextsOfPayload(binding, input.index)
                            : TextsOfColumn(binding, input.index);
    bytes += BytesOf(list);
  }
  for (const vkernel::Join& join : blueprint.joins) {
    if (join.form != vkernel::JoinForm::kHash) continue;
    const kernels::TextIndexView& index = binding.hash(join.slot).texts;
    found.keys.push_back({index.texts, nullptr, static_cast<int64_t>(index.count)});
    bytes += BytesOf(found.keys.back());
  }
  found.empty = bytes == 0;
  if (bytes <= kMostBytes) return found;
  return base::MakeError(base::ErrorCode::kUnsupported,
                         std::to_string(bytes) +
                             " bytes of strings that are not the source's own would have to be "
                             "brought for each launch");
}

const kernels::Text* TextWriter::Write(const TextList& list) {
  if (list.count == 0) return nullptr;
  std::string bytes;
  for (int64_t i = 0; i < list.count; ++i) {
    if (IsThere(list, i)) bytes.append(list.texts[i].data, list.texts[i].size);
  }
  const char* at = writer_.AddData(bytes.data(), static_cast<int64_t>(bytes.size()));
  std::vector<kernels::Text> written(static_cast<size_t>(list.count));
  for (int64_t i = 0; i < list.count; ++i) {
    if (!IsThere(list, i)) continue;
    const kernels::Text& text = list.texts[i];
    written[static_cast<size_t>(i)] = {at, text.size, text.prefix};
    if (origins_ != nullptr) {
      origins_->Add(reinterpret_cast<device::DeviceAddress>(at), text.data, text.size);
    }
    at += text.size;
  }
  return writer_.AddData(written.data(), list.count);
}

kernels::Text TextWriter::Write(const kernels::Text& text) {
  const char* const at = writer_.AddData(text.data, text.size);
  if (origins_ != nullptr) {
    origins_->Add(reinterpret_cast<device::DeviceAddress>(at), text.data, text.size);
  }
  return {at, text.size, text.prefix};
}

}  // namespace shadowvm::exec
