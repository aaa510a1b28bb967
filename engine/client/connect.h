// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>

#include "engine/client/session.h"

namespace shadowvm::client {

// A session on a node: the same frames, run in the node's process, which shares its tables and
// kernels with its other clients. 'address' is a socket's path or "unix:PATH", as `shadowvm node`
// prints it. Files are named as this process sees them. Tables cannot be added by name; where
// ShadowVM was built without Arrow Flight, nothing can be connected to.
arrow::Result<std::shared_ptr<Session>> Connect(const std::string& address,
                                                v1::Settings settings = {});

}  // namespace shadowvm::client
