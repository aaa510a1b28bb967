// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::vkernel {

// What a pipeline does, in one line: "lineorder: part, supplier, date; groups by d_year, p_brand1".
// It heads the kernel's text and names the pipeline in errors. Made of names alone, never of
// literals; characters that could end a comment or carry it to the next line are replaced.
// 'keys' are the values that rows are grouped by, whatever form the groups take.
std::string MakeTitle(const Blueprint& blueprint, const std::string& source,
                      const std::vector<plan::ExpressionPtr>& keys);

}  // namespace shadowvm::vkernel
