// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/table_contents.h"

#include <utility>

#include "engine/columns/dictionary_rule.h"

namespace shadowvm::storage {
namespace {

using columns::Dictionary;
using columns::Encoding;

bool IsFull(const base::Status& status) {
  return !status.ok() && base::CodeOf(status) == base::ErrorCode::kCardinality;
}

// Null rows hold code 0, which must exist.
base::Status NeedOneEntry(Dictionary* dictionary) {
  if (dictionary->size() > 0) return base::Status::OK();
  const std::string_view nothing;
  return dictionary->Intern({&nothing, 1}).status();
}

}  // namespace

base::Result<const DataFile*> LazyFile::Get() {
  if (!file_.has_value()) {
    SVM_ASSIGN_OR_RETURN(auto file, DataFile::Open(footer_.path, footer_.identity));
    file_.emplace(std::move(file));
  }
  return &*file_;
}

SharedColumn::SharedColumn(int ordinal, std::string called, const FileSet& files,
                           ColumnOrigin origin)
    : number(ordinal), name(std::move(called)), column(files, std::move(origin)) {
  if (column.origin.type.is_text()) {
    text = std::make_unique<TextColumn>(static_cast<int>(files.segments.size()));
  }
}

TableContents::TableContents(Footers footers, const StorageContext& context)
    : files_(std::move(footers)), context_(context) {
  if (context_.cache != nullptr) id_ = context_.cache->NewTable();
}

TableContents::~TableContents() {
  if (context_.cache != nullptr) context_.cache->DropTable(id_);
}

SharedColumn& TableContents::Share(const std::string& name, const ColumnOrigin& origin) {
  std::lock_guard lock(mutex_);
  for (SharedColumn& known : columns_) {
    if (known.column.origin == origin) return known;
  }
  return columns_.emplace_back(static_cast<int>(columns_.size()), name, files_, origin);
}

int TableContents::num_columns() const {
  std::lock_guard lock(mutex_);
  return static_cast<int>(columns_.size());
}

SegmentKey TableContents::KeyOf(const SharedColumn& column, int segment,
                                const TextLayout& text) const {
  return {id_, column.number, segment, text.version};
}

base::Status TableContents::CheckVersion(const SharedColumn& column, const TextLayout& text) const {
  if (column.text == nullptr || column.text->layout().version == text.version) {
    return base::Status::OK();
  }
  return base::MakeError(
      base::ErrorCode::kLayoutChanged,
      "column " + column.name +
          " has too many distinct strings for its dictionary; run the query again");
}

ColumnRequest TableContents::RequestFor(const SharedColumn& column, int segment,
                                        const TextLayout& text) const {
  ColumnRequest request;
  request.segment = segment;
  request.layout = column.column.layout;
  request.verify_checksums = context_.verify_checksums;
  if (column.text == nullptr) return request;
  request.layout.encoding = text.encoding;
  if (text.encoding == Encoding::kCodes) {
    request.intern = [dictionary = text.dictionary](std::span<const std::string_view> texts) {
      return dictionary->Intern(texts);
    };
  }
  return request;
}

TableContents::Loaded TableContents::ReadFrom(LazyFile* file, const SharedColumn& column,
                                              const ColumnRequest& request,
                                              const LiveParts& live) const {
  if (!column.column.origin.LiesIn(files_.segments[request.segment].file)) {
    return ReadColumn(nullptr, files_, column.column, request, live, context_.budget);
  }
  SVM_ASSIGN_OR_RETURN(const DataFile* opened, file->Get());
  Loaded loaded = ReadColumn(opened, files_, column.column, request, live, context_.budget);
  // A file that changed under the reader explains whatever was found in it.
  SVM_RETURN_NOT_OK(opened->CheckUnchanged());
  return loaded;
}

TableContents::Loaded TableContents::Decode(SharedColumn& column, int segment,
                                            const TextLayout& text, const LiveParts& live,
                                            LazyFile* file) {
  Loaded loaded = ReadFrom(file, column, RequestFor(column, segment, text), live);
  if (IsFull(loaded.status())) {
    column.text->SwitchToText(text.version);
    if (context_.cache != nullptr) context_.cache->DropColumn(id_, column.number);
    return CheckVersion(column, text);
  }
  SVM_RETURN_NOT_OK(loaded.status());
  if (text.dictionary != nullptr) SVM_RETURN_NOT_OK(NeedOneEntry(text.dictionary.get()));
  return loaded;
}

TableContents::Loaded TableContents::Read(SharedColumn& column, int segment, const TextLayout& text,
                                          uint64_t generation, LazyFile* file) {
  SVM_RETURN_NOT_OK(CheckVersion(column, text));
  const auto load = [&]() -> Loaded {
    SVM_ASSIGN_OR_RETURN(auto loaded,
                         Decode(column, segment, text, AllLive(files_.segments[segment]), file));
    if (column.text != nullptr) column.text->MarkSeen(segment);
    return loaded;
  };
  if (context_.cache == nullptr) return load();
  return context_.cache->GetOrLoad(KeyOf(column, segment, text), generation, load);
}

TableContents::Loaded TableContents::ReadLive(SharedColumn& column, int segment,
                                              const TextLayout& text, uint64_t generation,
                                              const LiveParts& live, LazyFile* file) {
  SVM_RETURN_NOT_OK(CheckVersion(column, text));
  if (context_.cache != nullptr) {
    auto whole = context_.cache->Find(KeyOf(column, segment, text), generation);
    if (whole != nullptr) return whole;
  }
  return Decode(column, segment, text, live, file);
}

bool TableContents::Holds(const SharedColumn& column, int segment) const {
  if (context_.cache == nullptr) return false;
  const int version = column.text == nullptr ? 0 : column.text->layout().version;
  return context_.cache->Contains({id_, column.number, segment, version});
}

std::vector<std::shared_ptr<const columns::ColumnSegment>> TableContents::FindAll(
    const SharedColumn& column, std::span<const int> segments, const TextLayout& text,
    uint64_t generation) {
  if (context_.cache == nullptr || !CheckVersion(column, text).ok()) {
    return std::vector<std::shared_ptr<const columns::ColumnSegment>>(segments.size());
  }
  std::vector<SegmentKey> keys;
  for (const int segment : segments) keys.push_back(KeyOf(column, segment, text));
  return context_.cache->FindAll(keys, generation);
}

bool TableContents::Keeps(int segment, std::span<SharedColumn* const> columns,
                          uint64_t generation) {
  if (context_.cache == nullptr) return false;
  int64_t bytes = 0;
  for (const SharedColumn* column : columns) {
    if (Holds(*column, segment)) continue;
    bytes += files_.segments[segment].num_rows * column->column.layout.width;
  }
  if (bytes == 0) return true;
  return context_.cache->HasRoom({id_, 0, segment, 0}, generation, bytes);
}

TableContents::Loaded TableContents::DecodeFirst(const SharedColumn& column,
                                                 const std::shared_ptr<Dictionary>& dictionary,
                                                 LazyFile* file) {
  ColumnRequest request = RequestFor(column, 0, TextLayout{0, Encoding::kCodes, dictionary});
  const int64_t rows = files_.segments[0].num_rows;
  request.intern =
      [=](std::span<const std::string_view> texts) -> base::Result<std::vector<uint32_t>> {
    SVM_ASSIGN_OR_RETURN(auto codes, dictionary->Intern(texts));
    if (columns::KeepsDictionary(dictionary->size(), rows)) return codes;
    return base::MakeError(base::ErrorCode::kCardinality, "too many distinct strings");
  };
  return ReadFrom(file, column, request, AllLive(files_.segments[0]));
}

base::Status TableContents::InternPartition(const SharedColumn& column, Dictionary* dictionary) {
  if (!column.column.origin.is_partition()) return base::Status::OK();
  std::vector<std::string_view> texts;
  for (const PartitionValue& value : column.column.origin.values) {
    if (!value.is_null) texts.push_back(value.text);
  }
  SVM_RETURN_NOT_OK(dictionary->Intern(texts).status());
  for (size_t s = 0; s < files_.segments.size(); ++s) {
    column.text->MarkSeen(static_cast<int>(s));
  }
  return base::Status::OK();
}

base::Result<TextLayout> TableContents::DecideText(SharedColumn& column, uint64_t generation) {
  TextColumn& text = *column.text;
  std::lock_guard lock(text.decision());
  if (text.decided()) return text.layout();
  SVM_ASSIGN_OR_RETURN(auto dictionary, Dictionary::Make(context_.budget));
  if (files_.segments.empty()) {
    text.Decide(Encoding::kCodes, std::move(dictionary));
    return text.layout();
  }
  SVM_RETURN_NOT_OK(InternPartition(column, dictionary.get()));
  LazyFile file(*files_.files[files_.segments[0].file]);
  Loaded first = DecodeFirst(column, dictionary, &file);
  if (IsFull(first.status())) {
    text.Decide(Encoding::kText, nullptr);
    return text.layout();
  }
  SVM_RETURN_NOT_OK(first.status());
  SVM_RETURN_NOT_OK(NeedOneEntry(dictionary.get()));
  text.Decide(Encoding::kCodes, std::move(dictionary));
  text.MarkSeen(0);
  if (context_.cache != nullptr) {
    const auto load = [&]() -> Loaded { return first; };
    SVM_RETURN_NOT_OK(
        context_.cache->GetOrLoad(KeyOf(column, 0, text.layout()), generation, load).status());
  }
  return text.layout();
}

}  // namespace shadowvm::storage
