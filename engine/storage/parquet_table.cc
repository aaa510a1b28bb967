// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/parquet_table.h"

#include <algorithm>
#include <utility>

#include "engine/storage/table_registry.h"

namespace shadowvm::storage {

base::Result<std::shared_ptr<ParquetTable>> ParquetTable::Open(std::span<const std::string> paths,
                                                               const StorageContext& context) {
  return TableRegistry(context).Open(paths);
}

ParquetTable::ParquetTable(std::string name, std::shared_ptr<TableContents> contents,
                           BoundColumns columns)
    : name_(std::move(name)),
      contents_(std::move(contents)),
      schema_(std::move(columns.schema)),
      pinned_(columns.origins.size()) {
  for (size_t i = 0; i < columns.origins.size(); ++i) {
    columns_.push_back(&contents_->Share(schema_.fields[i].name, columns.origins[i]));
  }
  BeginQuery();
}

void ParquetTable::BeginQuery() {
  SegmentCache* cache = contents_->context().cache;
  if (cache != nullptr) generation_ = cache->NewGeneration();
}

int ParquetTable::num_segments() const {
  return static_cast<int>(contents_->files().segments.size());
}

int64_t ParquetTable::segment_rows(int segment) const {
  return contents_->files().segments[segment].num_rows;
}

columns::Zone ParquetTable::zone(int segment, int column) const {
  return this->column(column).zones[segment];
}

columns::Zone ParquetTable::zone(int column) const { return this->column(column).zone; }

base::Result<TextLayout> ParquetTable::Pin(int column) {
  if (!schema().fields[column].type.is_text()) return TextLayout{};
  {
    std::lock_guard lock(mutex_);
    if (pinned_[column].has_value()) return *pinned_[column];
  }
  SVM_ASSIGN_OR_RETURN(TextLayout text, contents_->DecideText(*columns_[column], generation_));
  std::lock_guard lock(mutex_);
  if (!pinned_[column].has_value()) pinned_[column] = std::move(text);
  return *pinned_[column];
}

base::Result<columns::Layout> ParquetTable::layout(int column) {
  columns::Layout layout = this->column(column).layout;
  if (!schema().fields[column].type.is_text()) return layout;
  SVM_ASSIGN_OR_RETURN(const TextLayout text, Pin(column));
  layout.encoding = text.encoding;
  return layout;
}

std::shared_ptr<columns::Dictionary> ParquetTable::dictionary(int column) {
  auto text = Pin(column);
  return text.ok() ? text->dictionary : nullptr;
}

bool ParquetTable::dictionary_complete(int column) const {
  if (!schema().fields[column].type.is_text()) return true;
  return columns_[column]->text->all_seen();
}

bool ParquetTable::IsResident(int segment, std::span<const int> columns) const {
  return std::all_of(columns.begin(), columns.end(),
                     [&](int column) { return contents_->Holds(*columns_[column], segment); });
}

std::vector<std::shared_ptr<const columns::Segment>> ParquetTable::FindResident(
    std::span<const int> segments, std::span<const int> columns) {
  std::vector<std::shared_ptr<columns::Segment>> found;
  for (const int number : segments) {
    found.push_back(std::make_shared<columns::Segment>());
    found.back()->num_rows = contents_->files().segments[number].num_rows;
  }
  for (const int column : columns) {
    const auto text = Pin(column);
    // Whoever reads it is told what is wrong.
    if (!text.ok()) return std::vector<std::shared_ptr<const columns::Segment>>(segments.size());
    auto parts = contents_->FindAll(*columns_[column], segments, *text, generation_);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] == nullptr) found[i] = nullptr;
      if (found[i] != nullptr) found[i]->columns.push_back(std::move(parts[i]));
    }
  }
  return {found.begin(), found.end()};
}

// Pages are skipped only where the segment would not stay in memory: what stays serves every later
// query.
base::Result<std::optional<LiveParts>> ParquetTable::ChooseLive(
    int segment, std::span<const int> columns, std::span<const columns::ZoneFilter> filters,
    LazyFile* file) {
  if (filters.empty()) return std::nullopt;
  std::vector<SharedColumn*> wanted;
  for (const int ordinal : columns) wanted.push_back(columns_[ordinal]);
  if (contents_->Keeps(segment, wanted, generation_)) return std::nullopt;
  std::vector<ColumnFilter> conditions;
  for (const auto& filter : filters) {
    conditions.push_back({&column(filter.column), filter.min, filter.max});
  }
  SVM_ASSIGN_OR_RETURN(const DataFile* opened, file->Get());
  SVM_ASSIGN_OR_RETURN(LiveParts live, FindLive(*opened, contents_->files(), segment, conditions));
  const FileSegment& whole = contents_->files().segments[segment];
  if (CountRows(ToSegmentRows(whole, live)) == whole.num_rows) return std::nullopt;
  return live;
}

base::Result<std::shared_ptr<const columns::Segment>> ParquetTable::Read(
    int segment, std::span<const int> columns, std::span<const columns::ZoneFilter> filters,
    base::Spans* spans) {
  const base::Span span(spans, base::Stage::kScan);
  const FileSegment& described = contents_->files().segments[segment];
  LazyFile file(*contents_->files().files[described.file]);
  SVM_ASSIGN_OR_RETURN(const auto live, ChooseLive(segment, columns, filters, &file));
  auto result = std::make_shared<columns::Segment>();
  result->num_rows = described.num_rows;
  if (live.has_value()) result->live = ToSegmentRows(described, *live);
  for (const int column : columns) {
    SVM_ASSIGN_OR_RETURN(const TextLayout text, Pin(column));
    SharedColumn& shared = *columns_[column];
    SVM_ASSIGN_OR_RETURN(auto read,
                         live.has_value()
                             ? contents_->ReadLive(shared, segment, text, generation_, *live, &file)
                             : contents_->Read(shared, segment, text, generation_, &file));
    result->columns.push_back(std::move(read));
  }
  return result;
}

void BeginQuery(columns::TableSource* table) {
  if (auto* const files = dynamic_cast<ParquetTable*>(table)) files->BeginQuery();
}

bool IsUnchanged(std::span<const std::string> paths, const columns::TableSource& table) {
  const auto* const opened = dynamic_cast<const ParquetTable*>(&table);
  if (opened == nullptr) return false;
  const Footers& files = opened->contents().files().files;
  return std::equal(paths.begin(), paths.end(), files.begin(), files.end(),
                    [](const std::string& path, const auto& file) {
                      if (path != file->path) return false;
                      const auto identity = FileIdentity::Of(path);
                      return identity.ok() && *identity == file->identity;
                    });
}

bool HasSameValues(const columns::TableSource& a, const columns::TableSource& b) {
  if (&a == &b) return true;
  const auto* const first = dynamic_cast<const ParquetTable*>(&a);
  const auto* const second = dynamic_cast<const ParquetTable*>(&b);
  return first != nullptr && second != nullptr && &first->contents() == &second->contents();
}

}  // namespace shadowvm::storage
