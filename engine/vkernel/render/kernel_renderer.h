// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>

#include "engine/vkernel/blueprint/blueprint.h"
#include "engine/vkernel/render/arguments.h"
#include "engine/vkernel/render/target.h"

namespace shadowvm::vkernel {

struct RenderedKernel {
  std::string text;
  Arguments arguments;
};

// Writes the kernel of a blueprint: a short sentence of verbs, whose meaning lies in
// engine/kernels. The same blueprint gives the same text, whatever its literals. The sentence is
// the same for every target; what differs is what is said around it. For Target::kCuda the
// blueprint must be one that WhyNotOnCuda has nothing against.
RenderedKernel Render(const Blueprint& blueprint, Target target = Target::kCpu);

}  // namespace shadowvm::vkernel
