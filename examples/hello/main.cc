// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

// Sums revenue per discount over a Parquet file, in this process or in a node:
//   hello lineorder.parquet
//   hello lineorder.parquet unix:/run/user/1000/shadowvm/node.sock

#include <arrow/table.h>

#include <iostream>
#include <string>

#include "engine/client/client.h"

using shadowvm::client::Asc;
using shadowvm::client::Col;
using shadowvm::client::Connect;
using shadowvm::client::Count;
using shadowvm::client::Session;
using shadowvm::client::Sum;

arrow::Status Run(const std::string& path, const std::string& address) {
  ARROW_ASSIGN_OR_RAISE(auto session, address.empty() ? Session::Make() : Connect(address));
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
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: hello FILE.parquet [NODE]\n";
    return 2;
  }
  const arrow::Status status = Run(argv[1], argc == 3 ? argv[2] : "");
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
