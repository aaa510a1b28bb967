// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/names.h"
#include "engine/cli/ssb/row_writer.h"
#include "engine/cli/ssb/streams.h"
#include "engine/cli/ssb/table_generator.h"

namespace shadowvm::cli::ssb {
namespace {

class Supplier final : public TableGenerator {
 public:
  explicit Supplier(const Scale& scale)
      : scale_(scale),
        schema_(arrow::schema({IntField("s_suppkey"), TextField("s_name"), TextField("s_address"),
                               TextField("s_city"), TextField("s_nation"), TextField("s_region"),
                               TextField("s_phone")})),
        place_(scale.seed, streams::kSupplierPlace),
        text_(scale.seed, streams::kSupplierText) {}

  std::string name() const override { return "supplier"; }
  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  int64_t num_rows() const override { return scale_.num_suppliers; }
  std::vector<std::string> columns_without_dictionary() const override {
    return {"s_suppkey", "s_name", "s_address", "s_phone"};
  }

  base::Result<std::shared_ptr<arrow::RecordBatch>> Generate(int64_t first,
                                                             int64_t count) const override {
    RowWriter rows(schema_);
    for (int64_t row = first; row < first + count; ++row) SVM_RETURN_NOT_OK(PutRow(row, &rows));
    return rows.Finish();
  }

 private:
  base::Status PutRow(int64_t row, RowWriter* rows) const {
    const int city = place_.Uniform(row, 0, kNumNations * kCitiesPerNation - 1);
    const int nation_number = city / kCitiesPerNation;
    const Nation& nation = kNations[nation_number];
    const auto key = static_cast<int32_t>(row + 1);
    return rows->Row(key, NumberedName("Supplier", key), RandomText(text_, row, 10, 25),
                     CityName(nation.name, city % kCitiesPerNation), nation.name, nation.region,
                     PhoneNumber(nation_number, text_.Bits(row * 64 + 40)));
  }

  Scale scale_;
  std::shared_ptr<arrow::Schema> schema_;
  RandomStream place_;
  RandomStream text_;
};

}  // namespace

std::unique_ptr<TableGenerator> MakeSupplier(const Scale& scale) {
  return std::make_unique<Supplier>(scale);
}

}  // namespace shadowvm::cli::ssb
