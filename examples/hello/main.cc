// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

// Sums revenue per discount over a Parquet file: hello lineorder.parquet

#include <arrow/table.h>

#include <iostream>
#include <string>

#include "engine/client/client.h"

using shadowvm::client::Asc;
using shadowvm::client::Col;
using shadowvm::client::Count;
using shadowvm::client::Session;
using shadowvm::client::Sum;

arrow::Status Run(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto session, Session::Make());
  ARROW_ASSIGN_OR_RAISE(auto answer,
                        session->Scan(path)
                            .Filter(Col("lo_quantity") < 25)
                            .GroupBy({"lo_discount"})
                            .Aggregate({Sum(Col("lo_revenue")).As("revenue"), Count().As("orders")})
                            .OrderBy({Asc("lo_discount")})
                            .Collect());
  std::cout << answer->ToString() << "\n";
  return arrow::Status::OK();
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: hello FILE.parquet\n";
    return 2;
  }
  const arrow::Status status = Run(argv[1]);
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
