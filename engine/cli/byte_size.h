// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace shadowvm::cli {

// "3G", "512M", "64Ki", "1000": K, M, G and T count by 1000, Ki, Mi, Gi and Ti by 1024; a B may
// follow.
base::Result<int64_t> ParseBytes(std::string_view text);

// "260 MiB", "2.9 GiB".
std::string FormatBytes(int64_t bytes);

}  // namespace shadowvm::cli
