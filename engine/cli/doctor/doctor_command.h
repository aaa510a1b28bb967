// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/base/status.h"

namespace CLI {
class App;
}

namespace shadowvm::cli {

// `shadowvm doctor`. When it was called, its outcome is in *status after parsing.
void AddDoctorCommand(CLI::App* app, base::Status* status);

}  // namespace shadowvm::cli
