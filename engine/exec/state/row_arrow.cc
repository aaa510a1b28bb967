// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <arrow/api.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "engine/columns/arrow_arrays.h"
#include "engine/columns/arrow_values.h"
#include "engine/columns/type_mapping.h"
#include "engine/exec/state/dispatch.h"
#include "engine/exec/state/row_conversion.h"
#include "engine/exec/state/text_arena.h"

namespace shadowvm::exec {
namespace {

using arrow::Buffer;
using columns::ArrowRoom;
using columns::MakeArrowArray;

// An array's rows: as many as a segment's, so that others may work on answers piece by piece.
constexpr int64_t kPieceRows = columns::kSegmentRows;
// Below this an answer is not worth a second worker.
constexpr int64_t kLeastRows = 8 << 10;

// Rows [begin, end) of one column, on their way into an array.
struct Piece {
  const RowData& data;
  int64_t begin;
  int64_t end;

  int64_t rows() const { return end - begin; }
  bool is_nullable() const { return data.valid != nullptr; }
  bool is_valid(int64_t i) const { return data.is_valid(begin + i); }
};

base::Result<std::shared_ptr<Buffer>> ValidityOf(const Piece& piece, ArrowRoom* room) {
  if (!piece.is_nullable()) return nullptr;
  return columns::MakeValidity(piece.rows(), room, [&](int64_t i) { return piece.is_valid(i); });
}

// Values of one width as those of another, signs kept. Null rows, which may hold anything, become
// zeroes.
template <typename Stored, typename Out>
base::Result<std::shared_ptr<Buffer>> Convert(const Piece& piece, ArrowRoom* room) {
  SVM_ASSIGN_OR_RETURN(auto values, room->Allocate(piece.rows() * int64_t{sizeof(Out)}));
  const Stored* const from = piece.data.values<Stored>() + piece.begin;
  auto* const out = reinterpret_cast<Out*>(values->mutable_data());
  if (piece.is_nullable()) {
    for (int64_t i = 0; i < piece.rows(); ++i) {
      out[i] = piece.is_valid(i) ? static_cast<Out>(from[i]) : Out{};
    }
  } else {
    for (int64_t i = 0; i < piece.rows(); ++i) out[i] = static_cast<Out>(from[i]);
  }
  return values;
}

base::Result<std::shared_ptr<Buffer>> BoolsOf(const Piece& piece, ArrowRoom* room) {
  SVM_ASSIGN_OR_RETURN(auto bits, room->AllocateBits(piece.rows()));
  for (int64_t i = 0; i < piece.rows(); ++i) {
    const bool set = piece.is_valid(i) && piece.data.Integer(piece.begin + i) != 0;
    bits->mutable_data()[i / 8] |= static_cast<uint8_t>(set) << (i % 8);
  }
  return bits;
}

base::Result<std::shared_ptr<Buffer>> ValuesOf(const Piece& piece, ArrowRoom* room) {
  const RowColumn& column = piece.data.column;
  if (column.type.kind == columns::TypeKind::kBool) return BoolsOf(piece, room);
  if (column.type.is_decimal() && !column.type.is_wide()) {
    return DispatchInteger(column.width(), [&](auto zero) {
      return Convert<decltype(zero), columns::Int128>(piece, room);
    });
  }
  return DispatchWidth(column.width(), [&](auto zero) {
    return Convert<decltype(zero), decltype(zero)>(piece, room);
  });
}

template <typename TextAt>
base::Result<arrow::ArrayVector> TextsOf(const Piece& piece, ArrowRoom* room, TextAt&& text_at) {
  return columns::MakeTextArrays(
      piece.data.column.type, piece.begin, piece.end, piece.is_nullable(), room,
      [&](int64_t row) { return piece.data.is_valid(row); },
      [&](int64_t row) { return View(text_at(row)); });
}

base::Result<arrow::ArrayVector> ArraysOf(const Piece& piece, ArrowRoom* room) {
  const RowColumn& column = piece.data.column;
  if (column.kind == RowColumn::Kind::kText) {
    const auto* const texts = piece.data.values<kernels::Text>();
    return TextsOf(piece, room, [=](int64_t row) { return texts[row]; });
  }
  if (column.kind == RowColumn::Kind::kCodes) {
    const kernels::Text* const texts = column.dictionary->texts();
    const auto* const codes = piece.data.values<uint32_t>();
    return TextsOf(piece, room, [=](int64_t row) { return texts[codes[row]]; });
  }
  SVM_ASSIGN_OR_RETURN(auto values, ValuesOf(piece, room));
  SVM_ASSIGN_OR_RETURN(auto validity, ValidityOf(piece, room));
  return arrow::ArrayVector{
      MakeArrowArray(column.type, piece.rows(), {std::move(validity), std::move(values)})};
}

std::vector<Piece> CutIntoPieces(const RowSet& rows) {
  std::vector<Piece> pieces;
  pieces.reserve(rows.columns.size());
  for (const RowData& data : rows.columns) {
    for (int64_t begin = 0; begin < rows.num_rows; begin += kPieceRows) {
      pieces.push_back({data, begin, std::min(begin + kPieceRows, rows.num_rows)});
    }
  }
  return pieces;
}

}  // namespace

base::Result<std::shared_ptr<arrow::Table>> ToArrow(const RowSet& rows,
                                                    const std::vector<std::string>& names,
                                                    memory::MemoryBudget* budget,
                                                    const schedule::Workers& workers) {
  const std::vector<Piece> pieces = CutIntoPieces(rows);
  std::vector<arrow::ArrayVector> made(pieces.size());
  ArrowRoom room(budget);
  const auto convert = [&](int, int64_t i) -> base::Status {
    SVM_ASSIGN_OR_RETURN(made[i], ArraysOf(pieces[i], &room));
    return base::Status::OK();
  };
  const auto count = static_cast<int64_t>(pieces.size());
  if (rows.num_rows < kLeastRows) {
    for (int64_t i = 0; i < count; ++i) SVM_RETURN_NOT_OK(convert(0, i));
  } else {
    SVM_RETURN_NOT_OK(schedule::ParallelFor(workers, count, convert));
  }
  columns::Schema schema;
  schema.fields.reserve(rows.columns.size());
  arrow::ChunkedArrayVector chunked;
  chunked.reserve(rows.columns.size());
  const size_t pieces_of_column = rows.columns.empty() ? 0 : pieces.size() / rows.columns.size();
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    const RowColumn& column = rows.columns[i].column;
    schema.fields.push_back({names[i], column.type, column.nullable});
    arrow::ArrayVector chunks;
    for (size_t piece = i * pieces_of_column; piece < (i + 1) * pieces_of_column; ++piece) {
      std::move(made[piece].begin(), made[piece].end(), std::back_inserter(chunks));
    }
    chunked.push_back(
        std::make_shared<arrow::ChunkedArray>(std::move(chunks), columns::ToArrow(column.type)));
  }
  return arrow::Table::Make(columns::ToArrow(schema), std::move(chunked), rows.num_rows);
}

}  // namespace shadowvm::exec
