// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "shadowvm/v1/error.pb.h"

namespace shadowvm::node {

// The one place where our errors become Flight's: by class and code a Flight status code, the
// message as it is ("SVM-2001 …", cut to what a gRPC header can carry), and as extra information a
// serialized v1::Error without its message. OK stays OK.
arrow::Status ToFlight(const base::Status& status);

// The way back, for clients: our error as it was before, with its code. What Flight itself has to
// say (nobody listens, the connection is lost) becomes kNodeStopping.
base::Status FromFlight(const arrow::Status& status);

// An error as data, with its message.
v1::Error ToProto(const base::Status& status);

// Text that protobuf and JSON take as a string: messages may quote bytes of constants, which are
// not always UTF-8; those bytes become question marks.
std::string Readable(std::string_view text);

}  // namespace shadowvm::node
