// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/result.h>

#include <memory>
#include <string>

#include "engine/client/session.h"
#include "engine/schedule/mode.h"

namespace shadowvm::client {

// A session on a node: the same frames, run in the node's process, which shares its tables and
// kernels with its other clients. 'address' is a socket's path or "unix:PATH", as `shadowvm node`
// prints it. Files are named as this process sees them. Tables cannot be added by name; where
// ShadowVM was built without Arrow Flight, nothing can be connected to. 'mode' says which of the
// node's processors work for this session.
arrow::Result<std::shared_ptr<Session>> Connect(const std::string& address,
                                                v1::Settings settings = {},
                                                schedule::Mode mode = schedule::Mode::kAuto);

}  // namespace shadowvm::client
