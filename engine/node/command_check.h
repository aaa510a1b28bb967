// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>

#include "engine/base/status.h"
#include "engine/exec/engine.h"
#include "engine/node/query.h"
#include "shadowvm/v1/node_service.pb.h"

namespace shadowvm::node {

// Reads a command and plans it: what fails here fails before anything ran. The errors are those of
// plan::ParseCommand, plan::BuildPlan and plan::RequireSupport.
base::Result<CheckedCommand> CheckCommand(const std::string& bytes, exec::Engine* engine);

// Of each action, whether it could be run, or why not. Fails only for bytes that are no command.
base::Result<v1::ValidateResponse> ValidateCommand(const std::string& bytes, exec::Engine* engine);

}  // namespace shadowvm::node
