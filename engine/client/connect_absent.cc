// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/base/status.h"
#include "engine/client/connect.h"

namespace shadowvm::client {

arrow::Result<std::shared_ptr<Session>> Connect(const std::string&, v1::Settings, schedule::Mode) {
  return base::MakeError(base::ErrorCode::kUnsupported,
                         "this library was built without Arrow Flight, so it reaches no node");
}

}  // namespace shadowvm::client
