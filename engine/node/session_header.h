// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

namespace shadowvm::node {

// The header of a call that names its session.
inline constexpr char kSessionHeader[] = "shadowvm-session";

}  // namespace shadowvm::node
