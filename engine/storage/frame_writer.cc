// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/frame_writer.h"

#include <cstring>

#include "engine/columns/frame.h"

namespace shadowvm::storage {
namespace {

base::Status Corrupt(const char* what) {
  return base::MakeError(base::ErrorCode::kCorruptFile, what);
}

template <typename T>
T LoadAs(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// The loops over plain 32- and 64-bit integers carry a flag and no branch, so that compilers
// vectorise them. Differences wrap: with base and max inside the type no value outside the zone
// wraps into it.
template <typename Value, typename Offset>
bool WriteIntegers(const uint8_t* data, int64_t count, uint64_t from, uint64_t most, Offset* out) {
  const auto base = static_cast<Value>(from);
  const auto range = static_cast<Value>(most);
  Value outside = 0;
  for (int64_t i = 0; i < count; ++i) {
    const Value offset = LoadAs<Value>(data + i * sizeof(Value)) - base;
    outside |= static_cast<Value>(offset > range);
    out[i] = static_cast<Offset>(offset);
  }
  return outside == 0;
}

template <typename Offset>
class FrameWriter : public ValueWriter {
 public:
  FrameWriter(const PhysicalForm& form, const columns::Zone& zone)
      : ValueWriter(sizeof(Offset)),
        form_(form),
        base_(static_cast<uint64_t>(zone.min)),
        range_(columns::RangeOf(zone.min, zone.max)),
        fits_int32_(zone.min >= INT32_MIN && zone.max <= INT32_MAX) {}

  base::Status WritePlain(const uint8_t* data, int64_t size, int64_t count, uint8_t* out) override {
    auto* offsets = reinterpret_cast<Offset*>(out);
    switch (form_.type) {
      case parquet::Type::BOOLEAN:
        if (size < (count + 7) / 8) return Corrupt("page ends early");
        return WriteEach(count, offsets, [&](int64_t i, int64_t* value) {
          *value = (data[i / 8] >> (i % 8)) & 1;
          return true;
        });
      case parquet::Type::INT32:
        if (size / 4 < count) return Corrupt("page ends early");
        return WriteInt32(data, count, offsets);
      case parquet::Type::INT64:
        if (size / 8 < count) return Corrupt("page ends early");
        return WriteInt64(data, count, offsets);
      case parquet::Type::INT96:
        if (size / 12 < count) return Corrupt("page ends early");
        return WriteEach(count, offsets, [&](int64_t i, int64_t* value) {
          return LoadInt96(data + i * 12, value);
        });
      case parquet::Type::FIXED_LEN_BYTE_ARRAY:
        if (form_.length <= 0 || size / form_.length < count) return Corrupt("page ends early");
        return WriteEach(count, offsets, [&](int64_t i, int64_t* value) {
          return LoadBigEndian(data + i * form_.length, form_.length, value);
        });
      case parquet::Type::BYTE_ARRAY:
        SVM_RETURN_NOT_OK(SplitByteArrays(data, size, count, &texts_));
        return WriteTexts(texts_, out);
      default:
        return Corrupt("physical type of a column");
    }
  }

  base::Status WriteTexts(std::span<const std::string_view> texts, uint8_t* out) override {
    return WriteEach(static_cast<int64_t>(texts.size()), reinterpret_cast<Offset*>(out),
                     [&](int64_t i, int64_t* value) {
                       return LoadBigEndian(reinterpret_cast<const uint8_t*>(texts[i].data()),
                                            static_cast<int64_t>(texts[i].size()), value);
                     });
  }

 private:
  static base::Status Checked(bool inside) {
    return inside ? base::Status::OK() : Corrupt("a value lies outside the column's statistics");
  }

  // load(i, &value) is false for a value that has no place in 64 bits.
  template <typename Load>
  base::Status WriteEach(int64_t count, Offset* out, Load load) const {
    bool inside = true;
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = 0;
      inside &= load(i, &value);
      const uint64_t offset = static_cast<uint64_t>(value) - base_;
      inside &= offset <= range_;
      out[i] = static_cast<Offset>(offset);
    }
    return Checked(inside);
  }

  base::Status WriteInt32(const uint8_t* data, int64_t count, Offset* out) const {
    const bool plain = !form_.is_unsigned && form_.multiply == 1 && form_.divide == 1;
    if (plain && fits_int32_) {
      return Checked(WriteIntegers<uint32_t>(data, count, base_, range_, out));
    }
    return WriteEach(count, out, [&](int64_t i, int64_t* value) {
      const auto raw = LoadAs<uint32_t>(data + i * 4);
      return Rescale(form_, form_.is_unsigned ? int64_t{raw} : int64_t{static_cast<int32_t>(raw)},
                     value);
    });
  }

  base::Status WriteInt64(const uint8_t* data, int64_t count, Offset* out) const {
    if (!form_.is_unsigned && form_.multiply == 1 && form_.divide == 1) {
      return Checked(WriteIntegers<uint64_t>(data, count, base_, range_, out));
    }
    return WriteEach(count, out, [&](int64_t i, int64_t* value) {
      const auto raw = LoadAs<int64_t>(data + i * 8);
      return !(form_.is_unsigned && raw < 0) && Rescale(form_, raw, value);
    });
  }

  PhysicalForm form_;
  uint64_t base_;
  uint64_t range_;
  bool fits_int32_;
  std::vector<std::string_view> texts_;
};

}  // namespace

std::unique_ptr<ValueWriter> MakeFrameWriter(const PhysicalForm& form, const columns::Zone& zone,
                                             int width) {
  switch (width) {
    case 1:
      return std::make_unique<FrameWriter<uint8_t>>(form, zone);
    case 2:
      return std::make_unique<FrameWriter<uint16_t>>(form, zone);
    case 4:
      return std::make_unique<FrameWriter<uint32_t>>(form, zone);
    default:
      return std::make_unique<FrameWriter<uint64_t>>(form, zone);
  }
}

}  // namespace shadowvm::storage
