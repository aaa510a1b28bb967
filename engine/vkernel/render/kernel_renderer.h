// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

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
// the same for every target; what differs is what is said around it.
RenderedKernel Render(const Blueprint& blueprint, Target target = Target::kCpu);

// Several sentences of a GPU in one kernel, for launches that would each be over in no time: part
// by part, numbered from 0, and then the texts of all of them as one.
RenderedKernel RenderPart(const Blueprint& blueprint, int number);
std::string JoinParts(const std::vector<std::string>& parts);

}  // namespace shadowvm::vkernel
