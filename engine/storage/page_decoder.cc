// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/page_decoder.h"

#include <cstring>
#include <span>

#include "engine/storage/rare_encoding.h"

namespace shadowvm::storage {
namespace {

base::Status Corrupt(const char* what) {
  return base::MakeError(base::ErrorCode::kCorruptFile, what);
}

// At least one, so that there is an address even for nothing.
int64_t WordsFor(int64_t bytes) { return bytes / 8 + 1; }

// The fewest bytes a dictionary entry takes, so that a claimed size can be checked before memory is
// taken.
int64_t SmallestEntry(const parquet::ColumnDescriptor& column) {
  switch (column.physical_type()) {
    case parquet::Type::INT64:
    case parquet::Type::DOUBLE:
      return 8;
    case parquet::Type::INT96:
      return 12;
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return column.type_length();
    default:
      return 4;
  }
}

}  // namespace

base::Status PageDecoder::SetDictionary(const parquet::DictionaryPage& page) {
  const bool plain = page.encoding() == parquet::Encoding::PLAIN ||
                     page.encoding() == parquet::Encoding::PLAIN_DICTIONARY;
  if (!plain) return Corrupt("encoding of a dictionary page");
  const int64_t count = page.num_values();
  if (count < 0 || count * SmallestEntry(*column_) > page.size()) {
    return Corrupt("dictionary page ends early");
  }
  dictionary_page_.assign(page.data(), page.data() + page.size());
  dictionary_.assign(WordsFor(count * writer_->width()), 0);
  dictionary_size_ = count;
  if (count == 0) return base::Status::OK();
  return writer_->WritePlain(dictionary_page_.data(), page.size(), count,
                             reinterpret_cast<uint8_t*>(dictionary_.data()));
}

base::Status PageDecoder::ReadLevelsV1(const parquet::DataPageV1& page, Values* values) {
  *values = {page.data(), page.size()};
  if (column_->max_definition_level() == 0) return base::Status::OK();
  if (page.definition_level_encoding() == parquet::Encoding::BIT_PACKED) {
    const int64_t bytes = (int64_t{page.num_values()} + 7) / 8;
    SVM_RETURN_NOT_OK(DecodePackedLevels(page.data(), page.size(), page.num_values(), &validity_));
    *values = {page.data() + bytes, page.size() - bytes};
    return base::Status::OK();
  }
  uint32_t bytes;
  if (page.size() < 4) return Corrupt("definition levels end early");
  std::memcpy(&bytes, page.data(), 4);
  if (int64_t{bytes} > page.size() - 4) return Corrupt("definition levels end early");
  *values = {page.data() + 4 + bytes, page.size() - 4 - int64_t{bytes}};
  return DecodeLevels(page.data() + 4, bytes, page.num_values(), &validity_);
}

base::Status PageDecoder::ReadLevelsV2(const parquet::DataPageV2& page, Values* values) {
  const int64_t repetition = page.repetition_levels_byte_length();
  const int64_t definition = page.definition_levels_byte_length();
  if (repetition != 0 || definition < 0 || definition > page.size()) {
    return Corrupt("levels end early");
  }
  *values = {page.data() + definition, page.size() - definition};
  if (column_->max_definition_level() == 0) return base::Status::OK();
  return DecodeLevels(page.data(), definition, page.num_values(), &validity_);
}

base::Status PageDecoder::ReadLevels(const parquet::DataPage& page, Values* values) {
  validity_.bits.clear();
  validity_.num_valid = page.num_values();
  if (page.type() == parquet::PageType::DATA_PAGE_V2) {
    return ReadLevelsV2(static_cast<const parquet::DataPageV2&>(page), values);
  }
  return ReadLevelsV1(static_cast<const parquet::DataPageV1&>(page), values);
}

base::Status PageDecoder::DecodeValues(const parquet::DataPage& page, const Values& values,
                                       uint8_t* out) {
  if (validity_.num_valid == 0) return base::Status::OK();
  switch (page.encoding()) {
    case parquet::Encoding::PLAIN:
      return writer_->WritePlain(values.data, values.size, validity_.num_valid, out);
    case parquet::Encoding::RLE_DICTIONARY:
    case parquet::Encoding::PLAIN_DICTIONARY:
      if (dictionary_size_ < 0) return Corrupt("indices without a dictionary page");
      return DecodeIndices(values.data, values.size, validity_.num_valid,
                           {reinterpret_cast<const uint8_t*>(dictionary_.data()), dictionary_size_,
                            writer_->width()},
                           out);
    default:
      return DecodeRareEncoding(page.encoding(), *column_, values.data, values.size,
                                validity_.num_valid, writer_, out);
  }
}

base::Status PageDecoder::Decode(const parquet::DataPage& page, int64_t skip, int64_t count,
                                 int64_t row) {
  Values values;
  SVM_RETURN_NOT_OK(ReadLevels(page, &values));
  const int64_t rows = page.num_values();
  const int width = writer_->width();
  const bool text = fill_->layout().encoding == columns::Encoding::kText;
  const bool direct = !text && skip == 0 && count == rows;
  uint8_t* out = direct ? fill_->at(row) : nullptr;
  if (!direct) {
    scratch_.resize(WordsFor(rows * width));
    out = reinterpret_cast<uint8_t*>(scratch_.data());
  }
  SVM_RETURN_NOT_OK(DecodeValues(page, values, out));
  if (!validity_.bits.empty()) Spread(validity_, rows, width, out);
  SVM_RETURN_NOT_OK(fill_->AddValidity(row, validity_, skip, count));
  if (text) {
    const auto* views = reinterpret_cast<const TextView*>(out);
    return fill_->AppendTexts(row, {views + skip, static_cast<size_t>(count)});
  }
  if (!direct) std::memcpy(fill_->at(row), out + skip * width, count * width);
  return base::Status::OK();
}

}  // namespace shadowvm::storage
