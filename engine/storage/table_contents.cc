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

TableContents::TableContents(std::shared_ptr<const ParquetFiles> files,
                             const StorageContext& context)
    : files_(std::move(files)), context_(context) {
  if (context_.cache != nullptr) id_ = context_.cache->NewTable();
  for (const TableColumn& column : files_->columns) {
    const auto segments = static_cast<int>(files_->segments.size());
    texts_.push_back(column.field.type.is_text() ? std::make_unique<TextColumn>(segments)
                                                 : nullptr);
  }
}

TableContents::~TableContents() {
  if (context_.cache != nullptr) context_.cache->DropTable(id_);
}

SegmentKey TableContents::KeyOf(int column, int segment, const TextLayout& text) const {
  return {id_, column, segment, text.version};
}

base::Status TableContents::CheckVersion(int column, const TextLayout& text) const {
  if (texts_[column] == nullptr || texts_[column]->layout().version == text.version) {
    return base::Status::OK();
  }
  return base::MakeError(
      base::ErrorCode::kLayoutChanged,
      "column " + files_->schema.fields[column].name +
          " has too many distinct strings for its dictionary; run the query again");
}

ColumnRequest TableContents::RequestFor(int column, int segment, const TextLayout& text) const {
  ColumnRequest request;
  request.column = column;
  request.segment = segment;
  request.layout = files_->columns[column].layout;
  request.verify_checksums = context_.verify_checksums;
  if (texts_[column] == nullptr) return request;
  request.layout.encoding = text.encoding;
  if (text.encoding == Encoding::kCodes) {
    request.intern = [dictionary = text.dictionary](std::span<const std::string_view> texts) {
      return dictionary->Intern(texts);
    };
  }
  return request;
}

TableContents::Loaded TableContents::Decode(int column, int segment, const TextLayout& text,
                                            const LiveParts& live, LazyFile* file) {
  SVM_ASSIGN_OR_RETURN(const DataFile* opened, file->Get());
  Loaded loaded =
      ReadColumn(*opened, *files_, RequestFor(column, segment, text), live, context_.budget);
  // A file that changed under the reader explains whatever was found in it.
  SVM_RETURN_NOT_OK(opened->CheckUnchanged());
  if (IsFull(loaded.status())) {
    texts_[column]->SwitchToText(text.version);
    if (context_.cache != nullptr) context_.cache->DropColumn(id_, column);
    return CheckVersion(column, text);
  }
  SVM_RETURN_NOT_OK(loaded.status());
  if (text.dictionary != nullptr) SVM_RETURN_NOT_OK(NeedOneEntry(text.dictionary.get()));
  return loaded;
}

TableContents::Loaded TableContents::Read(int column, int segment, const TextLayout& text,
                                          uint64_t generation, LazyFile* file) {
  SVM_RETURN_NOT_OK(CheckVersion(column, text));
  const auto load = [&]() -> Loaded {
    SVM_ASSIGN_OR_RETURN(auto loaded,
                         Decode(column, segment, text, AllLive(files_->segments[segment]), file));
    if (texts_[column] != nullptr) texts_[column]->MarkSeen(segment);
    return loaded;
  };
  if (context_.cache == nullptr) return load();
  return context_.cache->GetOrLoad(KeyOf(column, segment, text), generation, load);
}

TableContents::Loaded TableContents::ReadLive(int column, int segment, const TextLayout& text,
                                              uint64_t generation, const LiveParts& live,
                                              LazyFile* file) {
  SVM_RETURN_NOT_OK(CheckVersion(column, text));
  if (context_.cache != nullptr) {
    auto whole = context_.cache->Find(KeyOf(column, segment, text), generation);
    if (whole != nullptr) return whole;
  }
  return Decode(column, segment, text, live, file);
}

bool TableContents::Holds(int column, int segment) const {
  if (context_.cache == nullptr) return false;
  const int version = texts_[column] == nullptr ? 0 : texts_[column]->layout().version;
  return context_.cache->Contains({id_, column, segment, version});
}

bool TableContents::Keeps(int segment, std::span<const int> columns, uint64_t generation) {
  if (context_.cache == nullptr) return false;
  int64_t bytes = 0;
  for (const int column : columns) {
    if (Holds(column, segment)) continue;
    bytes += files_->segments[segment].num_rows * files_->columns[column].layout.width;
  }
  if (bytes == 0) return true;
  return context_.cache->HasRoom({id_, 0, segment, 0}, generation, bytes);
}

TableContents::Loaded TableContents::DecodeFirst(int column,
                                                 const std::shared_ptr<Dictionary>& dictionary,
                                                 LazyFile* file) {
  SVM_ASSIGN_OR_RETURN(const DataFile* opened, file->Get());
  ColumnRequest request = RequestFor(column, 0, TextLayout{0, Encoding::kCodes, dictionary});
  const int64_t rows = files_->segments[0].num_rows;
  request.intern =
      [=](std::span<const std::string_view> texts) -> base::Result<std::vector<uint32_t>> {
    SVM_ASSIGN_OR_RETURN(auto codes, dictionary->Intern(texts));
    if (columns::KeepsDictionary(dictionary->size(), rows)) return codes;
    return base::MakeError(base::ErrorCode::kCardinality, "too many distinct strings");
  };
  Loaded loaded =
      ReadColumn(*opened, *files_, request, AllLive(files_->segments[0]), context_.budget);
  SVM_RETURN_NOT_OK(opened->CheckUnchanged());
  return loaded;
}

base::Status TableContents::InternPartition(int column, Dictionary* dictionary) {
  const int partition = files_->columns[column].partition;
  if (partition < 0) return base::Status::OK();
  std::vector<std::string_view> texts;
  for (const auto& text : files_->partitions[partition].texts) {
    if (text.has_value()) texts.push_back(*text);
  }
  SVM_RETURN_NOT_OK(dictionary->Intern(texts).status());
  for (size_t s = 0; s < files_->segments.size(); ++s) {
    texts_[column]->MarkSeen(static_cast<int>(s));
  }
  return base::Status::OK();
}

base::Result<TextLayout> TableContents::DecideText(int column, uint64_t generation) {
  TextColumn& text = *texts_[column];
  std::lock_guard lock(text.decision());
  if (text.decided()) return text.layout();
  SVM_ASSIGN_OR_RETURN(auto dictionary, Dictionary::Make(context_.budget));
  if (files_->segments.empty()) {
    text.Decide(Encoding::kCodes, std::move(dictionary));
    return text.layout();
  }
  SVM_RETURN_NOT_OK(InternPartition(column, dictionary.get()));
  LazyFile file(*files_->files[files_->segments[0].file]);
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
