// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>

#include "engine/vkernel/blueprint/blueprint.h"
#include "engine/vkernel/render/arguments.h"

namespace shadowvm::vkernel {

struct RenderedKernel {
  std::string text;
  Arguments arguments;
};

// Writes the kernel of a blueprint: a short sentence of verbs, whose meaning lies in
// engine/kernels. The same blueprint gives the same text, whatever its literals.
RenderedKernel Render(const Blueprint& blueprint);

}  // namespace shadowvm::vkernel
