// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/chunk_reader.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/util/compression.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>

#include <algorithm>
#include <new>
#include <string>

#include "engine/base/fault.h"
#include "engine/memory/buffer.h"
#include "engine/storage/page_decoder.h"

namespace shadowvm::storage {
namespace {

constexpr int64_t kMaxPageRows = int64_t{1} << 26;

base::Status Corrupt(const std::string& what) {
  return base::MakeError(base::ErrorCode::kCorruptFile, what);
}

// The bytes of some pages, one after another, and where their rows are.
struct PageBytes {
  std::shared_ptr<memory::Buffer> bytes;
  int64_t num_values = 0;
  std::vector<PagePlace> places;  // of the data pages read; empty: all pages, in order
};

struct ByteRange {
  int64_t offset;
  int64_t length;
};

class PieceReader {
 public:
  PieceReader(const DataFile& file, const ParquetFooter& footer, const ChunkPiece& piece,
              memory::MemoryBudget* budget)
      : file_(file),
        footer_(footer),
        piece_(piece),
        budget_(budget),
        chunk_(footer.chunks[piece.row_group][piece.column]),
        group_rows_(footer.row_group_rows[piece.row_group]) {}

  base::Status Run(ValueWriter* writer, SegmentFill* fill) {
    PageBytes pages;
    SVM_RETURN_NOT_OK(ReadBytes(&pages));
    const int leaf = footer_.columns[piece_.column].leaf;
    const auto* column = footer_.metadata->schema()->Column(leaf);
    const auto group = footer_.metadata->RowGroup(piece_.row_group);
    const parquet::Compression::type codec = group->ColumnChunk(leaf)->compression();
    if (!parquet::IsCodecSupported(codec)) {
      return base::MakeError(base::ErrorCode::kUnsupported,
                             "compression " + arrow::util::Codec::GetCodecAsString(codec));
    }
    parquet::ReaderProperties properties;
    properties.set_page_checksum_verification(piece_.verify_checksums);
    auto stream = std::make_shared<arrow::io::BufferReader>(
        std::make_shared<arrow::Buffer>(pages.bytes->data(), pages.bytes->size()));
    const bool always_compressed = footer_.metadata->writer_version().VersionLt(
        parquet::ApplicationVersion::PARQUET_CPP_10353_FIXED_VERSION());
    const auto reader = parquet::PageReader::Open(stream, pages.num_values, codec, properties,
                                                  *column, always_compressed);
    PageDecoder decoder(column, writer, fill);
    return DecodePages(pages, reader.get(), &decoder);
  }

 private:
  base::Status ReadBytes(PageBytes* pages) {
    const bool whole = piece_.wanted.size() == 1 && piece_.wanted[0].first == 0 &&
                       piece_.wanted[0].second == group_rows_;
    std::vector<ByteRange> ranges{{chunk_.offset, chunk_.length}};
    pages->num_values = group_rows_;
    if (!whole) {
      SVM_ASSIGN_OR_RETURN(const auto places,
                           ReadPagePlaces(file_, footer_, piece_.row_group, piece_.column));
      if (places.has_value()) ranges = Choose(*places, pages);
    }
    int64_t total = 0;
    for (const ByteRange& range : ranges) total += range.length;
    SVM_ASSIGN_OR_RETURN(pages->bytes, memory::Buffer::Make(budget_, total, "column chunk"));
    int64_t at = 0;
    for (const ByteRange& range : ranges) {
      SVM_RETURN_NOT_OK(file_.Read(range.offset, range.length, pages->bytes->data() + at));
      at += range.length;
    }
    return base::Status::OK();
  }

  // The dictionary page, which lies before the first data page, and the pages with wanted rows.
  std::vector<ByteRange> Choose(const std::vector<PagePlace>& places, PageBytes* pages) const {
    std::vector<ByteRange> ranges{{chunk_.offset, places[0].offset - chunk_.offset}};
    pages->num_values = 0;
    for (const PagePlace& place : places) {
      if (!Overlaps(piece_.wanted, place.first_row, place.first_row + place.num_rows)) continue;
      pages->places.push_back(place);
      pages->num_values += place.num_rows;
      ByteRange& last = ranges.back();
      if (last.offset + last.length == place.offset) {
        last.length += place.length;
      } else {
        ranges.push_back({place.offset, place.length});
      }
    }
    return ranges;
  }

  base::Status DecodePages(const PageBytes& pages, parquet::PageReader* reader,
                           PageDecoder* decoder) {
    // Called once per data page, before it is decompressed: true skips it.
    int64_t next_row = 0;
    int64_t page_row = 0;
    size_t ordinal = 0;
    reader->set_data_page_filter([&](const parquet::DataPageStats& page) {
      page_row = ordinal < pages.places.size() ? pages.places[ordinal].first_row : next_row;
      ++ordinal;
      next_row = page_row + page.num_values;
      return !Overlaps(piece_.wanted, page_row, next_row);
    });
    int64_t decoded = 0;
    while (decoded < CountRows(piece_.wanted)) {
      SVM_FAULT_POINT("storage.page.decompress");
      const auto page = reader->NextPage();
      if (page == nullptr) return Corrupt("rows are missing");
      if (page->type() == parquet::PageType::DICTIONARY_PAGE) {
        SVM_RETURN_NOT_OK(
            decoder->SetDictionary(static_cast<const parquet::DictionaryPage&>(*page)));
        continue;
      }
      if (page->type() != parquet::PageType::DATA_PAGE &&
          page->type() != parquet::PageType::DATA_PAGE_V2) {
        continue;
      }
      const auto& data = static_cast<const parquet::DataPage&>(*page);
      SVM_RETURN_NOT_OK(DecodePage(data, page_row, decoder, &decoded));
    }
    return base::Status::OK();
  }

  base::Status DecodePage(const parquet::DataPage& page, int64_t page_row, PageDecoder* decoder,
                          int64_t* decoded) {
    const int64_t rows = page.num_values();
    if (rows < 0 || rows > kMaxPageRows || rows > group_rows_ - page_row) {
      return Corrupt("a page has more rows than its row group");
    }
    const int64_t begin = std::max(page_row, piece_.wanted.front().first);
    const int64_t end = std::min(page_row + rows, piece_.wanted.back().second);
    *decoded += CountRows(Intersect(piece_.wanted, {{begin, end}}));
    return decoder->Decode(page, begin - page_row, end - begin,
                           piece_.row + begin - piece_.first_row);
  }

  const DataFile& file_;
  const ParquetFooter& footer_;
  const ChunkPiece& piece_;
  memory::MemoryBudget* budget_;
  const ColumnChunk& chunk_;
  int64_t group_rows_;
};

}  // namespace

base::Status ReadChunk(const DataFile& file, const ParquetFooter& footer, const ChunkPiece& piece,
                       memory::MemoryBudget* budget, ValueWriter* writer, SegmentFill* fill) {
  if (piece.wanted.empty()) return base::Status::OK();
  base::Status status;
  try {
    status = PieceReader(file, footer, piece, budget).Run(writer, fill);
  } catch (const std::bad_alloc&) {
    status = base::MakeError(base::ErrorCode::kOutOfMemory, "no memory for a page");
  } catch (const std::exception& error) {
    status = Corrupt(error.what());
  }
  if (status.ok()) return status;
  return base::WithContext(status, footer.path + ", column " + footer.columns[piece.column].name +
                                       ", row group " + std::to_string(piece.row_group));
}

}  // namespace shadowvm::storage
