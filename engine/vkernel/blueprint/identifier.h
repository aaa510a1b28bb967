// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <string_view>

namespace shadowvm::vkernel {

// A C++ identifier near to a name of the user's that means nothing else in generated text: no word
// of the language, no verb or type of the kernel headers, no name that a renderer gives itself.
// Different names may share an identifier; a number after it ("_2") keeps it safe.
std::string IdentifierFor(std::string_view name);

}  // namespace shadowvm::vkernel
