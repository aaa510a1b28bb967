// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::vkernel {

// What kernel text is for. The text of kCuda runs on a card and, compiled for the host, on the
// emulated one.
enum class Target : uint8_t { kCpu, kCuda };

// The words of a kernel that depend on its target. All others mean on each target what its verbs
// say.
struct TargetWords {
  std::string_view verbs;         // the header to include
  std::string_view kernel;        // the head of the kernel; it declares 'call'
  std::string_view single_group;  // declares 'group', the one row of accumulators
};
const TargetWords& WordsFor(Target target);

// True for a step that is written as one verb over whole columns: a GPU runs it on wide tiles.
// Other steps are loops over rows.
bool IsOneVerb(const Step& step, const Blueprint& blueprint);
// True for a join whose key is a column as it is, in a table addressed by it.
bool ProbesColumn(const Join& join);

// By input: whether expressions read its strings, and not only their codes.
std::vector<bool> TextsRead(const Blueprint& blueprint);
// Whether rows or groups leave with strings themselves.
bool TextsLeave(const Blueprint& blueprint);

}  // namespace shadowvm::vkernel
