// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/names.h"
#include "engine/cli/ssb/row_table.h"
#include "engine/cli/ssb/streams.h"

namespace shadowvm::cli::ssb {
namespace {

// Five manufacturers of five categories of forty brands: brand 21 of category 12 is "MFGR#1221".
inline constexpr int kBrandsPerCategory = 40;
inline constexpr int kNumBrands = 5 * 5 * kBrandsPerCategory;

struct Brand {
  std::string manufacturer;
  std::string category;
  std::string brand;
};

Brand BrandOf(int number) {
  const int category = number / kBrandsPerCategory;
  Brand names;
  names.manufacturer = "MFGR#" + std::to_string(category / 5 + 1);
  names.category = names.manufacturer + std::to_string(category % 5 + 1);
  names.brand = names.category + std::to_string(number % kBrandsPerCategory + 1);
  return names;
}

class Part final : public RowTable {
 public:
  explicit Part(const Scale& scale)
      : RowTable(
            arrow::schema({IntField("p_partkey"), TextField("p_name"), TextField("p_mfgr"),
                           TextField("p_category"), TextField("p_brand1"), TextField("p_color"),
                           TextField("p_type"), IntField("p_size"), TextField("p_container")})),
        scale_(scale) {}

  std::string name() const override { return "part"; }
  int64_t num_rows() const override { return scale_.num_parts; }
  std::vector<std::string> columns_without_dictionary() const override { return {"p_partkey"}; }

 private:
  base::Status PutRow(int64_t row, RowWriter* rows) const override {
    const Brand brand = BrandOf(Stream(streams::kPartBrand).Uniform(row, 0, kNumBrands - 1));
    const auto colour = kColours[Stream(streams::kPartColour).Uniform(row, 0, kNumColours - 1)];
    return rows->Row(static_cast<int32_t>(row + 1), Name(row), brand.manufacturer, brand.category,
                     brand.brand, colour, PartType(Stream(streams::kPartType), row),
                     Stream(streams::kPartSize).Uniform(row, 1, 50),
                     Container(Stream(streams::kPartContainer), row));
  }

  // Two different colours: "lace spring".
  std::string Name(int64_t row) const {
    const RandomStream stream = Stream(streams::kPartName);
    const int first = stream.Uniform(row * 2, 0, kNumColours - 1);
    const int other = stream.Uniform(row * 2 + 1, 1, kNumColours - 1);
    return std::string(kColours[first]) + " " +
           std::string(kColours[(first + other) % kNumColours]);
  }

  RandomStream Stream(uint64_t number) const { return {scale_.seed, number}; }

  static constexpr int kNumColours = 92;
  Scale scale_;
};

}  // namespace

std::unique_ptr<TableGenerator> MakePart(const Scale& scale) {
  return std::make_unique<Part>(scale);
}

}  // namespace shadowvm::cli::ssb
