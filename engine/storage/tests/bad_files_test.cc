// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <random>

#include "engine/base/fault.h"
#include "engine/storage/tests/parquet_fixture.h"

namespace shadowvm::storage {
namespace {

class BadFiles : public ParquetFixture {
 protected:
  static std::shared_ptr<arrow::Table> Mixed(int64_t rows) {
    return TableOf(
        {{"k", Int32s(rows, [](int64_t i) { return int32_t(i * 31 % 1000); })},
         {"s", Strings(rows, [](int64_t i) { return "name " + std::to_string(i % 40); })},
         {"t", Strings(rows, [](int64_t i) { return "text " + std::to_string(i); })},
         {"d", Build(
                   arrow::DoubleBuilder(), rows, [](int64_t i) { return double(i); },
                   [](int64_t i) { return i % 5 == 0; })}});
  }

  void ExpectError(const std::string& path, base::ErrorCode code) {
    const base::Status status = ReadBack(path).status();
    EXPECT_EQ(base::CodeOf(status), code) << status.ToString();
    EXPECT_NE(status.message().find(path), std::string::npos) << status.ToString();
    EXPECT_EQ(budget_.used(), 0);
  }
};

TEST_F(BadFiles, MissingEmptyFolderAndNotParquet) {
  ExpectError(Path("nowhere.parquet"), base::ErrorCode::kFileMissing);
  ExpectError(folder_, base::ErrorCode::kNoDataFiles);
  std::filesystem::create_directory(Path("sub"));
  SetContent(Path("sub/_SUCCESS"), "");
  SetContent(Path("sub/.hidden"), "x");
  ExpectError(Path("sub"), base::ErrorCode::kNoDataFiles);
  SetContent(Path("empty"), "");
  ExpectError(Path("empty"), base::ErrorCode::kNotParquet);
  SetContent(Path("words"), "these are words, and no columns at all");
  ExpectError(Path("words"), base::ErrorCode::kNotParquet);
}

TEST_F(BadFiles, TruncatedAnywhereIsAnError) {
  const std::string path = WriteFile("t.parquet", *Mixed(3000), {}, 1000);
  const std::string whole = Content(path);
  const std::string cut = Path("cut.parquet");
  for (size_t size = 0; size < whole.size(); size += 64) {
    SetContent(cut, whole.substr(0, size));
    const base::Status status = ReadBack(cut).status();
    ASSERT_FALSE(status.ok()) << size;
    ASSERT_NE(base::CodeOf(status), base::ErrorCode::kInternal) << status.ToString();
  }
  // A cut in the middle, with the old footer put behind it.
  for (size_t size = 4; size + 4000 < whole.size(); size += 997) {
    SetContent(cut, whole.substr(0, size) + whole.substr(size + 500));
    ASSERT_TRUE(budget_.used() == 0);
    static_cast<void>(ReadBack(cut));
  }
}

TEST_F(BadFiles, FlippedBitsNeverKillAndChecksumsFindThem) {
  const auto table = Mixed(3000);
  for (const bool checksums : {false, true}) {
    parquet::WriterProperties::Builder builder;
    builder.compression(checksums ? arrow::Compression::SNAPPY : arrow::Compression::UNCOMPRESSED);
    if (checksums) builder.enable_page_checksum();
    const std::string path = WriteFile("t.parquet", *table, builder, 1000);
    const std::string whole = Content(path);
    uint32_t footer_length;
    std::memcpy(&footer_length, whole.data() + whole.size() - 8, 4);
    const size_t data_end = whole.size() - 8 - footer_length;
    std::mt19937 random(7);
    int silent = 0;
    for (int i = 0; i < 400; ++i) {
      std::string bytes = whole;
      // Every other flip hits the data, where most of a large file is; the rest hits anything.
      const size_t at = random() % (i % 2 == 0 ? data_end : whole.size());
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
      SetContent(path, bytes);
      const auto read = ReadBack(path);
      if (!read.ok()) {
        EXPECT_NE(base::CodeOf(read.status()), base::ErrorCode::kInternal)
            << read.status().ToString();
      } else if (checksums && at < data_end && (*read)->schema()->Equals(*table->schema())) {
        silent += !(*read)->Equals(*table);
      }
      ASSERT_EQ(budget_.used(), 0);
    }
    EXPECT_EQ(silent, 0);
  }
}

TEST_F(BadFiles, ValuesOutsideTheStatisticsAreFound) {
  const auto table = TableOf({{"k", Int32s(1000, [](int64_t i) { return int32_t(i); })}});
  const std::string path =
      WriteFile("t.parquet", *table, *Plain().compression(arrow::Compression::UNCOMPRESSED));
  std::string bytes = Content(path);
  // The plain value 500, somewhere in the page, becomes 65,236.
  const std::string value("\xf4\x01\x00\x00\xf5\x01\x00\x00", 8);
  const size_t at = bytes.find(value);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 1] = '\xfe';
  SetContent(path, bytes);
  const base::Status status = ReadBack(path).status();
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kCorruptFile);
  for (const char* part : {"t.parquet", "column k", "row group 0", "statistics"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status.ToString();
  }
}

TEST_F(BadFiles, AFileThatChangesUnderAReaderIsReported) {
  const std::string path = WriteFile("t.parquet", *Mixed(1000));
  auto source = Open(path).ValueOrDie();
  const std::vector<int> columns{0};
  ASSERT_TRUE(source->Read(0, columns, {}, nullptr).ok());
  WriteFile("t.parquet", *Mixed(1001));
  EXPECT_EQ(base::CodeOf(source->Read(0, columns, {}, nullptr).status()),
            base::ErrorCode::kFileChanged);
  std::filesystem::remove(path);
  EXPECT_EQ(base::CodeOf(source->Read(0, columns, {}, nullptr).status()),
            base::ErrorCode::kFileChanged);
}

TEST_F(BadFiles, EveryFaultPointComesBackAsAnError) {
  const std::string path = WriteFile("t.parquet", *Mixed(2000), {}, 500);
  for (const char* point : {"storage.stat", "storage.open", "storage.footer", "storage.page.read",
                            "storage.page.decompress", "memory.buffer", "columns.dictionary"}) {
    for (const int nth : {1, 2, 5}) {
      const std::string armed = std::string(point) + "=nth:" + std::to_string(nth) + ":error";
      ASSERT_TRUE(base::ArmFaults(armed).ok());
      const auto read = ReadBack(path);
      base::DisarmFaults();
      if (nth == 1) {
        EXPECT_EQ(base::CodeOf(read.status()), base::ErrorCode::kInjected) << point;
      }
      EXPECT_EQ(budget_.used(), 0) << point;
    }
  }
}

}  // namespace
}  // namespace shadowvm::storage
