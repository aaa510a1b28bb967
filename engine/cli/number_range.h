// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace shadowvm::cli {

// For CLI::Option::check: a number, or a whole one, within bounds. Unlike CLI::Range it does not
// take a word for a number that is out of them, nor let "nan" pass.
CLI::Validator NumberIn(double least, double most);
CLI::Validator WholeNumberIn(int64_t least, int64_t most);

}  // namespace shadowvm::cli
