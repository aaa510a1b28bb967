// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

#include "engine/exec/tests/kernel_fixture.h"

namespace shadowvm::exec {

// A query that takes its kernels through one form of blueprint.
struct KernelCase {
  std::string name;  // of the golden file
  client::Frame frame;
  v1::Settings settings = {};
};

// The cases over the small tables. 'variant' changes every literal and nothing else.
std::vector<KernelCase> SmallCases(int variant);

}  // namespace shadowvm::exec
