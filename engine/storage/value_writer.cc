// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/value_writer.h"

#include <cstring>
#include <utility>

#include "engine/columns/frame.h"
#include "engine/storage/frame_writer.h"

namespace shadowvm::storage {
namespace {

base::Status Corrupt(const char* what) {
  return base::MakeError(base::ErrorCode::kCorruptFile, what);
}

// Decimals of more than 18 digits.
class WideWriter : public ValueWriter {
 public:
  explicit WideWriter(const PhysicalForm& form) : ValueWriter(16), form_(form) {}

  base::Status WritePlain(const uint8_t* data, int64_t size, int64_t count, uint8_t* out) override {
    if (form_.type == parquet::Type::BYTE_ARRAY) {
      SVM_RETURN_NOT_OK(SplitByteArrays(data, size, count, &texts_));
      return WriteTexts(texts_, out);
    }
    const int64_t each = form_.type == parquet::Type::INT32   ? 4
                         : form_.type == parquet::Type::INT64 ? 8
                                                              : form_.length;
    if (size / each < count) return Corrupt("page ends early");
    for (int64_t i = 0; i < count; ++i) {
      columns::Int128 value = 0;
      if (!Load(data + i * each, each, &value)) return Corrupt("decimal of more than 128 bits");
      std::memcpy(out + i * 16, &value, 16);
    }
    return base::Status::OK();
  }

  base::Status WriteTexts(std::span<const std::string_view> texts, uint8_t* out) override {
    for (const std::string_view text : texts) {
      columns::Int128 value = 0;
      const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
      if (!LoadBigEndian(bytes, static_cast<int64_t>(text.size()), &value)) {
        return Corrupt("decimal of more than 128 bits");
      }
      std::memcpy(out, &value, 16);
      out += 16;
    }
    return base::Status::OK();
  }

 private:
  bool Load(const uint8_t* bytes, int64_t each, columns::Int128* value) const {
    if (form_.type == parquet::Type::FIXED_LEN_BYTE_ARRAY) return LoadBigEndian(bytes, each, value);
    int64_t narrow = 0;
    if (!LoadValue(form_, bytes, each, &narrow)) return false;
    *value = narrow;
    return true;
  }

  PhysicalForm form_;
  std::vector<std::string_view> texts_;
};

template <typename From, typename To>
class FloatWriter : public ValueWriter {
 public:
  FloatWriter() : ValueWriter(sizeof(To)) {}

  base::Status WritePlain(const uint8_t* data, int64_t size, int64_t count, uint8_t* out) override {
    if (size / static_cast<int64_t>(sizeof(From)) < count) return Corrupt("page ends early");
    if constexpr (std::is_same_v<From, To>) {
      std::memcpy(out, data, count * sizeof(To));
    } else {
      for (int64_t i = 0; i < count; ++i) {
        From value;
        std::memcpy(&value, data + i * sizeof(From), sizeof(From));
        reinterpret_cast<To*>(out)[i] = value;
      }
    }
    return base::Status::OK();
  }

  base::Status WriteTexts(std::span<const std::string_view>, uint8_t*) override {
    return Corrupt("byte arrays in a column of floats");
  }
};

// Strings and binaries, as codes or as views for plain text.
class TextWriter : public ValueWriter {
 public:
  TextWriter(const PhysicalForm& form, int width) : ValueWriter(width), form_(form) {}

  base::Status WritePlain(const uint8_t* data, int64_t size, int64_t count, uint8_t* out) override {
    if (form_.type == parquet::Type::BYTE_ARRAY) {
      SVM_RETURN_NOT_OK(SplitByteArrays(data, size, count, &texts_));
      return WriteTexts(texts_, out);
    }
    if (form_.length > 0 && size / form_.length < count) return Corrupt("page ends early");
    texts_.clear();
    for (int64_t i = 0; i < count; ++i) {
      texts_.emplace_back(reinterpret_cast<const char*>(data) + i * form_.length, form_.length);
    }
    return WriteTexts(texts_, out);
  }

 private:
  PhysicalForm form_;
  std::vector<std::string_view> texts_;
};

class CodeWriter : public TextWriter {
 public:
  CodeWriter(const PhysicalForm& form, InternFunction intern)
      : TextWriter(form, 4), intern_(std::move(intern)) {}

  base::Status WriteTexts(std::span<const std::string_view> texts, uint8_t* out) override {
    SVM_ASSIGN_OR_RETURN(const auto codes, intern_(texts));
    if (!codes.empty()) std::memcpy(out, codes.data(), codes.size() * 4);
    return base::Status::OK();
  }

 private:
  InternFunction intern_;
};

class ViewWriter : public TextWriter {
 public:
  explicit ViewWriter(const PhysicalForm& form) : TextWriter(form, sizeof(TextView)) {}

  base::Status WriteTexts(std::span<const std::string_view> texts, uint8_t* out) override {
    auto* views = reinterpret_cast<TextView*>(out);
    for (const std::string_view text : texts) *views++ = {text.data(), text.size()};
    return base::Status::OK();
  }
};

}  // namespace

base::Status SplitByteArrays(const uint8_t* data, int64_t size, int64_t count,
                             std::vector<std::string_view>* texts) {
  texts->clear();
  texts->reserve(count);
  const uint8_t* end = data + size;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t length;
    if (end - data < 4) return Corrupt("byte array ends early");
    std::memcpy(&length, data, 4);
    data += 4;
    if (end - data < int64_t{length}) return Corrupt("byte array ends early");
    texts->emplace_back(reinterpret_cast<const char*>(data), length);
    data += length;
  }
  return base::Status::OK();
}

std::unique_ptr<ValueWriter> MakeValueWriter(const PhysicalForm& form, const ValueTarget& target) {
  using columns::Encoding;
  switch (target.layout.encoding) {
    case Encoding::kFrame:
      return MakeFrameWriter(form, target.zone, target.layout.width);
    case Encoding::kWide:
      return std::make_unique<WideWriter>(form);
    case Encoding::kFloat:
      if (target.layout.width == 4) return std::make_unique<FloatWriter<float, float>>();
      if (form.type == parquet::Type::FLOAT) return std::make_unique<FloatWriter<float, double>>();
      return std::make_unique<FloatWriter<double, double>>();
    case Encoding::kCodes:
      return std::make_unique<CodeWriter>(form, target.intern);
    case Encoding::kText:
      break;
  }
  return std::make_unique<ViewWriter>(form);
}

}  // namespace shadowvm::storage
