// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/names.h"
#include "engine/cli/ssb/row_table.h"
#include "engine/cli/ssb/streams.h"

namespace shadowvm::cli::ssb {
namespace {

// What tells customers from suppliers.
struct PartyKind {
  std::string table;
  std::string word;    // "Customer": names are Customer#000000001
  std::string prefix;  // of the columns' names
  std::string key;
  bool has_segment;
  int64_t num_rows;
  uint64_t place_stream;
  uint64_t text_stream;
};

std::shared_ptr<arrow::Schema> SchemaOf(const PartyKind& kind) {
  arrow::FieldVector fields = {IntField(kind.prefix + kind.key)};
  for (const char* column : {"name", "address", "city", "nation", "region", "phone"}) {
    fields.push_back(TextField(kind.prefix + column));
  }
  if (kind.has_segment) fields.push_back(TextField(kind.prefix + "mktsegment"));
  return arrow::schema(std::move(fields));
}

// Customers and suppliers: parties with a name, an address and a city.
class Party final : public RowTable {
 public:
  Party(PartyKind kind, uint64_t seed)
      : RowTable(SchemaOf(kind)),
        place_(seed, kind.place_stream),
        text_(seed, kind.text_stream),
        segment_(seed, streams::kCustomerSegment),
        kind_(std::move(kind)) {}

  std::string name() const override { return kind_.table; }
  int64_t num_rows() const override { return kind_.num_rows; }
  std::vector<std::string> columns_without_dictionary() const override {
    return {kind_.prefix + kind_.key, kind_.prefix + "name", kind_.prefix + "address",
            kind_.prefix + "phone"};
  }

 private:
  base::Status PutRow(int64_t row, RowWriter* rows) const override {
    const int city = place_.Uniform(row, 0, kNumNations * kCitiesPerNation - 1);
    const int nation_number = city / kCitiesPerNation;
    const Nation& nation = kNations[nation_number];
    const auto key = static_cast<int32_t>(row + 1);
    SVM_RETURN_NOT_OK(rows->Row(key, NumberedName(kind_.word, key), RandomText(text_, row, 10, 25),
                                CityName(nation.name, city % kCitiesPerNation), nation.name,
                                nation.region,
                                PhoneNumber(nation_number, text_.Bits(row * 64 + 40))));
    if (!kind_.has_segment) return base::Status::OK();
    return rows->Put(kMarketSegments[segment_.Uniform(row, 0, 4)]);
  }

  RandomStream place_;
  RandomStream text_;
  RandomStream segment_;
  PartyKind kind_;
};

}  // namespace

std::unique_ptr<TableGenerator> MakeCustomer(const Scale& scale) {
  PartyKind kind{"customer",
                 "Customer",
                 "c_",
                 "custkey",
                 true,
                 scale.num_customers,
                 streams::kCustomerPlace,
                 streams::kCustomerText};
  return std::make_unique<Party>(std::move(kind), scale.seed);
}

std::unique_ptr<TableGenerator> MakeSupplier(const Scale& scale) {
  PartyKind kind{"supplier",
                 "Supplier",
                 "s_",
                 "suppkey",
                 false,
                 scale.num_suppliers,
                 streams::kSupplierPlace,
                 streams::kSupplierText};
  return std::make_unique<Party>(std::move(kind), scale.seed);
}

}  // namespace shadowvm::cli::ssb
