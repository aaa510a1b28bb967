// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/definition_levels.h"

#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>

#include <algorithm>

#include "engine/storage/run_decoder.h"

namespace shadowvm::storage {
namespace {

struct Wide {
  uint64_t words[2];
};

base::Status Corrupt(const char* what) {
  return base::MakeError(base::ErrorCode::kCorruptFile, what);
}

void Count(int64_t count, PageValidity* validity) {
  validity->num_valid = arrow::internal::CountSetBits(validity->bits.data(), 0, count);
  if (validity->num_valid == count) validity->bits.clear();
}

template <typename T>
void SpreadAs(const PageValidity& validity, int64_t count, uint8_t* bytes) {
  auto* values = reinterpret_cast<T*>(bytes);
  int64_t from = validity.num_valid;
  // From the back, so that a value is read before its place is written.
  for (int64_t row = count - 1; row >= 0; --row) {
    const bool valid = arrow::bit_util::GetBit(validity.bits.data(), row);
    values[row] = valid ? values[--from] : T{};
  }
}

}  // namespace

base::Status DecodeLevels(const uint8_t* data, int64_t size, int64_t count,
                          PageValidity* validity) {
  validity->bits.clear();
  validity->num_valid = count;
  if (count == 0) return base::Status::OK();
  RunDecoder runs(data, size, 1);
  Run run;
  if (!runs.Next(&run)) return Corrupt("definition levels are missing");
  if (!run.packed && run.value == 1 && run.count >= count) return base::Status::OK();

  validity->bits.assign(arrow::bit_util::BytesForBits(count), 0);
  for (int64_t row = 0;;) {
    const int64_t taken = std::min(run.count, count - row);
    if (run.packed) {
      arrow::internal::CopyBitmap(run.bytes, 0, taken, validity->bits.data(), row);
    } else if (run.value > 1) {
      return Corrupt("definition level out of range");
    } else if (run.value == 1) {
      arrow::bit_util::SetBitsTo(validity->bits.data(), row, taken, true);
    }
    row += taken;
    if (row == count) break;
    if (!runs.Next(&run)) return Corrupt("definition levels end early");
  }
  Count(count, validity);
  return base::Status::OK();
}

base::Status DecodePackedLevels(const uint8_t* data, int64_t size, int64_t count,
                                PageValidity* validity) {
  if (size < arrow::bit_util::BytesForBits(count)) return Corrupt("definition levels end early");
  validity->bits.assign(arrow::bit_util::BytesForBits(count), 0);
  for (int64_t row = 0; row < count; ++row) {
    const bool valid = ((data[row / 8] >> (7 - row % 8)) & 1) != 0;
    arrow::bit_util::SetBitTo(validity->bits.data(), row, valid);
  }
  Count(count, validity);
  return base::Status::OK();
}

void Spread(const PageValidity& validity, int64_t count, int width, uint8_t* values) {
  switch (width) {
    case 1:
      return SpreadAs<uint8_t>(validity, count, values);
    case 2:
      return SpreadAs<uint16_t>(validity, count, values);
    case 4:
      return SpreadAs<uint32_t>(validity, count, values);
    case 8:
      return SpreadAs<uint64_t>(validity, count, values);
    default:
      return SpreadAs<Wide>(validity, count, values);
  }
}

}  // namespace shadowvm::storage
