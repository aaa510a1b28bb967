// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/table_generator.h"

namespace shadowvm::cli::ssb {

std::vector<std::unique_ptr<TableGenerator>> MakeTables(const Scale& scale) {
  std::vector<std::unique_ptr<TableGenerator>> tables;
  tables.push_back(MakeDate());
  tables.push_back(MakeSupplier(scale));
  tables.push_back(MakeCustomer(scale));
  tables.push_back(MakePart(scale));
  tables.push_back(MakeLineorder(scale));
  return tables;
}

}  // namespace shadowvm::cli::ssb
