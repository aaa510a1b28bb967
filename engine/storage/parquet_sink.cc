// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/parquet_sink.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <fcntl.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "engine/base/fault.h"

namespace shadowvm::storage {
namespace {

arrow::Compression::type CodecOf(SinkOptions::Compression compression) {
  switch (compression) {
    case SinkOptions::Compression::kNone:
      return arrow::Compression::UNCOMPRESSED;
    case SinkOptions::Compression::kSnappy:
      return arrow::Compression::SNAPPY;
    case SinkOptions::Compression::kZstd:
      return arrow::Compression::ZSTD;
  }
  return arrow::Compression::UNCOMPRESSED;
}

std::shared_ptr<parquet::WriterProperties> PropertiesOf(const SinkOptions& options) {
  parquet::WriterProperties::Builder builder;
  builder.compression(CodecOf(options.compression));
  builder.max_row_group_length(options.row_group_rows);
  builder.enable_write_page_index();
  if (!options.dictionary) builder.disable_dictionary();
  return builder.build();
}

}  // namespace

struct ParquetSink::Writer {
  ~Writer() {
    // An unfinished Parquet writer would write a footer when it goes; its file must still be there.
    if (file_writer != nullptr) static_cast<void>(Guarded([&] { return file_writer->Close(); }));
    if (stream != nullptr && !stream->closed()) static_cast<void>(stream->Close());
    if (!temporary.empty()) unlink(temporary.c_str());
  }

  base::Status Failed(const std::string& why) const {
    return base::MakeError(base::ErrorCode::kWriteFailed, path + ": " + why);
  }

  // Runs an Arrow call; its status and exceptions become kWriteFailed.
  template <typename Call>
  base::Status Guarded(Call call) const {
    try {
      const arrow::Status status = call();
      return status.ok() ? status : Failed(status.message());
    } catch (const std::exception& error) {
      return Failed(error.what());
    }
  }

  base::Status OpenTemporary() {
    SVM_FAULT_POINT("storage.sink.open");
    std::string name = path + ".XXXXXX";
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) return Failed(std::strerror(errno));
    temporary = name;
    fchmod(descriptor, 0644);
    auto opened = arrow::io::FileOutputStream::Open(descriptor);
    if (!opened.ok()) {
      close(descriptor);
      return Failed(opened.status().message());
    }
    stream = *opened;
    return base::Status::OK();
  }

  base::Status OpenWriter(const SinkOptions& options) {
    return Guarded([&] {
      return parquet::arrow::FileWriter::Open(*schema, arrow::default_memory_pool(), stream,
                                              PropertiesOf(options))
          .Value(&file_writer);
    });
  }

  base::Status Finish() {
    SVM_FAULT_POINT("storage.sink.close");
    SVM_RETURN_NOT_OK(Guarded([&] { return file_writer->Close(); }));
    file_writer.reset();
    if (fsync(stream->file_descriptor()) != 0) return Failed(std::strerror(errno));
    SVM_RETURN_NOT_OK(Guarded([&] { return stream->Close(); }));
    SVM_FAULT_POINT("storage.sink.rename");
    if (rename(temporary.c_str(), path.c_str()) != 0) return Failed(std::strerror(errno));
    temporary.clear();
    return base::Status::OK();
  }

  std::string path;
  std::string temporary;  // empty: nothing to remove
  std::shared_ptr<arrow::Schema> schema;
  int64_t row_group_rows = 0;
  std::shared_ptr<arrow::io::FileOutputStream> stream;
  std::unique_ptr<parquet::arrow::FileWriter> file_writer;
};

ParquetSink::ParquetSink(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}
ParquetSink::~ParquetSink() = default;

base::Result<std::unique_ptr<ParquetSink>> ParquetSink::Open(const std::string& path,
                                                             std::shared_ptr<arrow::Schema> schema,
                                                             const SinkOptions& options) {
  auto writer = std::make_unique<Writer>();
  writer->path = path;
  writer->schema = std::move(schema);
  writer->row_group_rows = options.row_group_rows;
  SVM_RETURN_NOT_OK(writer->OpenTemporary());
  SVM_RETURN_NOT_OK(writer->OpenWriter(options));
  return std::unique_ptr<ParquetSink>(new ParquetSink(std::move(writer)));
}

base::Status ParquetSink::Write(const arrow::RecordBatch& batch) {
  SVM_FAULT_POINT("storage.sink.write");
  return writer_->Guarded([&] { return writer_->file_writer->WriteRecordBatch(batch); });
}

base::Status ParquetSink::Write(const arrow::Table& table) {
  SVM_FAULT_POINT("storage.sink.write");
  return writer_->Guarded(
      [&] { return writer_->file_writer->WriteTable(table, writer_->row_group_rows); });
}

base::Status ParquetSink::Finish() {
  const base::Status finished = writer_->Finish();
  // Whatever went wrong, nothing is left behind.
  if (!finished.ok()) {
    if (!writer_->temporary.empty()) unlink(writer_->temporary.c_str());
    writer_->temporary.clear();
  }
  return finished;
}

}  // namespace shadowvm::storage
