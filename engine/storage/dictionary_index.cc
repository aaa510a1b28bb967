// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/dictionary_index.h"

#include <algorithm>
#include <cstring>

#include "engine/storage/bit_unpack.h"
#include "engine/storage/run_decoder.h"

namespace shadowvm::storage {
namespace {

struct Wide {
  uint64_t words[2];
};

base::Status Corrupt(const char* what) {
  return base::MakeError(base::ErrorCode::kCorruptFile, what);
}

// A block of indices looked up; false if one of them is not in the dictionary.
template <typename T>
bool LookUp(const uint32_t* indices, int count, const T* values, uint32_t size, T* out) {
  bool outside = false;
  for (int i = 0; i < count; ++i) outside |= indices[i] >= size;
  if (outside) return false;
  for (int i = 0; i < count; ++i) out[i] = values[indices[i]];
  return true;
}

template <typename T>
bool LookUpBlock(const uint32_t* indices, const T* values, uint32_t size, T* out) {
  return LookUp(indices, kUnpackBlock, values, size, out);
}

template <typename T>
bool DecodePacked(const Run& run, int64_t count, int bit_width, const T* values, uint32_t size,
                  T* out) {
  const UnpackFunction unpack = UnpackerFor(bit_width);
  const int64_t block_bytes = 4 * int64_t{bit_width};
  uint32_t indices[kUnpackBlock];
  const uint8_t* in = run.bytes;
  const uint8_t* end = run.bytes + run.num_bytes;
  int64_t done = 0;
  while (count - done >= kUnpackBlock && end - in >= block_bytes + kUnpackSlack) {
    unpack(in, indices);
    if (!LookUpBlock(indices, values, size, out + done)) return false;
    in += block_bytes;
    done += kUnpackBlock;
  }
  // The last blocks go through a padded copy, so that no load runs past the page.
  while (done < count) {
    uint8_t padded[4 * 32 + kUnpackSlack] = {};
    std::memcpy(padded, in, std::min<int64_t>(end - in, block_bytes));
    unpack(padded, indices);
    const int rest = static_cast<int>(std::min<int64_t>(kUnpackBlock, count - done));
    if (!LookUp(indices, rest, values, size, out + done)) return false;
    in += std::min<int64_t>(end - in, block_bytes);
    done += rest;
  }
  return true;
}

template <typename T>
base::Status Decode(const uint8_t* data, int64_t size, int64_t count,
                    const EncodedDictionary& dictionary, uint8_t* out_bytes) {
  if (count == 0) return base::Status::OK();
  if (size < 1 || data[0] > 32) return Corrupt("bit width of dictionary indices");
  const int bit_width = data[0];
  const auto* values = reinterpret_cast<const T*>(dictionary.values);
  const auto entries = static_cast<uint32_t>(dictionary.size);
  auto* out = reinterpret_cast<T*>(out_bytes);
  RunDecoder runs(data + 1, size - 1, bit_width);
  Run run;
  while (count > 0) {
    if (!runs.Next(&run)) return Corrupt("dictionary indices end early");
    const int64_t taken = std::min(count, run.count);
    if (run.packed) {
      if (!DecodePacked(run, taken, bit_width, values, entries, out)) {
        return Corrupt("dictionary index out of range");
      }
    } else {
      if (run.value >= entries) return Corrupt("dictionary index out of range");
      std::fill_n(out, taken, values[run.value]);
    }
    out += taken;
    count -= taken;
  }
  return base::Status::OK();
}

}  // namespace

base::Status DecodeIndices(const uint8_t* data, int64_t size, int64_t count,
                           const EncodedDictionary& dictionary, uint8_t* out) {
  switch (dictionary.width) {
    case 1:
      return Decode<uint8_t>(data, size, count, dictionary, out);
    case 2:
      return Decode<uint16_t>(data, size, count, dictionary, out);
    case 4:
      return Decode<uint32_t>(data, size, count, dictionary, out);
    case 8:
      return Decode<uint64_t>(data, size, count, dictionary, out);
    default:
      return Decode<Wide>(data, size, count, dictionary, out);
  }
}

}  // namespace shadowvm::storage
