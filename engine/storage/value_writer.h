// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <parquet/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/segment.h"
#include "engine/columns/type.h"
#include "engine/storage/physical_value.h"

namespace shadowvm::storage {

// A string on its way into plain text: it points into the page it came from.
struct TextView {
  const char* data = nullptr;
  uint64_t size = 0;
};

// Turns physical values of one column chunk into the form they have in a segment, checking each:
// framed values lie inside the frame, strings have codes. kCorruptFile when a value contradicts the
// statistics.
class ValueWriter {
 public:
  explicit ValueWriter(int width) : width_(width) {}
  virtual ~ValueWriter() = default;

  // Bytes of one written value; text is written as TextView.
  int width() const { return width_; }
  // 'count' values in PLAIN encoding.
  virtual base::Status WritePlain(const uint8_t* data, int64_t size, int64_t count,
                                  uint8_t* out) = 0;
  // 'count' values of a BYTE_ARRAY column.
  virtual base::Status WriteTexts(std::span<const std::string_view> texts, uint8_t* out) = 0;

 private:
  int width_;
};

using InternFunction =
    std::function<base::Result<std::vector<uint32_t>>(std::span<const std::string_view>)>;

// What a segment expects of its values. For a frame: all in [zone.min, zone.max], base = zone.min.
struct ValueTarget {
  columns::Type type;
  columns::Layout layout;
  columns::Zone zone;
  InternFunction intern;  // kCodes only
};

std::unique_ptr<ValueWriter> MakeValueWriter(const PhysicalForm& form, const ValueTarget& target);

// Takes PLAIN byte arrays (a length, then bytes) apart. kCorruptFile.
base::Status SplitByteArrays(const uint8_t* data, int64_t size, int64_t count,
                             std::vector<std::string_view>* texts);

}  // namespace shadowvm::storage
