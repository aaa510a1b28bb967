// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/write_parquet.h"

#include <arrow/io/file.h>
#include <arrow/util/compression.h>
#include <arrow/util/thread_pool.h>
#include <parquet/arrow/writer.h>
#include <parquet/exception.h>
#include <parquet/properties.h>

#include "engine/base/fault.h"
#include "engine/cli/pending_file.h"
#include "engine/cli/ssb/batch_stream.h"

namespace shadowvm::cli::ssb {
namespace {

std::shared_ptr<parquet::WriterProperties> FileProperties(const TableGenerator& table,
                                                          const WriteOptions& options) {
  parquet::WriterProperties::Builder builder;
  builder.compression(options.compression)
      ->max_row_group_length(options.row_group_rows)
      ->enable_write_page_index();
  for (const auto& column : table.columns_without_dictionary()) builder.disable_dictionary(column);
  // Sorted and nearly dense: a few bits a row as differences.
  if (table.name() == "lineorder")
    builder.encoding("lo_orderkey", parquet::Encoding::DELTA_BINARY_PACKED);
  return builder.build();
}

std::shared_ptr<parquet::ArrowWriterProperties> ThreadProperties(
    arrow::internal::ThreadPool* pool) {
  return parquet::ArrowWriterProperties::Builder()
      .set_use_threads(true)
      ->set_executor(pool)
      ->build();
}

base::Status WriteRowGroups(const TableGenerator& table, const WriteOptions& options,
                            const OnProgress& on_progress,
                            const std::shared_ptr<arrow::io::OutputStream>& file) {
  SVM_ASSIGN_OR_RETURN(auto pool, arrow::internal::ThreadPool::Make(options.threads));
  SVM_ASSIGN_OR_RETURN(
      auto writer, parquet::arrow::FileWriter::Open(*table.schema(), arrow::default_memory_pool(),
                                                    file, FileProperties(table, options),
                                                    ThreadProperties(pool.get())));
  BatchStream batches(table, options.row_group_rows, /*batches_ahead=*/options.threads, pool.get());
  int64_t num_rows = 0;
  while (true) {
    SVM_ASSIGN_OR_RETURN(auto batch, batches.Next());
    if (batch == nullptr) break;
    SVM_FAULT_POINT("gen.file.write");
    SVM_RETURN_NOT_OK(writer->NewBufferedRowGroup());
    SVM_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
    SVM_RETURN_NOT_OK(on_progress(num_rows += batch->num_rows()));
  }
  return writer->Close();
}

base::Status WriteFile(const TableGenerator& table, const WriteOptions& options,
                       const OnProgress& on_progress, const PendingFile& pending) {
  SVM_FAULT_POINT("gen.file.open");
  SVM_ASSIGN_OR_RETURN(auto file,
                       arrow::io::FileOutputStream::Open(pending.temporary_path().string()));
  SVM_RETURN_NOT_OK(WriteRowGroups(table, options, on_progress, file));
  return file->Close();
}

}  // namespace

base::Status WriteParquet(const TableGenerator& table, const WriteOptions& options,
                          const OnProgress& on_progress) {
  PendingFile pending(options.directory / (table.name() + ".parquet"));
  base::Status status;
  try {
    status = WriteFile(table, options, on_progress, pending);
  } catch (const parquet::ParquetException& error) {
    status = base::Status::IOError(error.what());
  }
  if (base::CodeOf(status) == base::ErrorCode::kCancelled) return status;
  if (!status.ok()) {
    return base::MakeError(base::ErrorCode::kWriteFailed,
                           pending.final_path().string() + ": " + status.message());
  }
  return pending.Commit();
}

}  // namespace shadowvm::cli::ssb
