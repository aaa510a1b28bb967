// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cli/replay/replay.h"

namespace shadowvm::cli {

// The first line of an error: what follows it is a compiler's log, kept in the JSON report.
std::string FirstLine(std::string_view message);

// A line of a failed command's error, or a few lines of a command's times, rows and digests.
std::string ToText(const Replay& replay);

// {"settings", "commands": [{"file", "total_ms", "first_ms", "stages": {"plan": …}, "bytes",
// "rows", "digest", "ordered_digest", "runs_agree"} or {"file", "error", "code"}]}; where there is
// a GPU commands have "gpu", with times and bytes over the link, and "pipelines"; where runs were
// without the one they were to have, "gpu_why_not" and "runs_not_on_gpu".
nlohmann::ordered_json ToJson(const ReplaySettings& settings, const std::vector<Replay>& replays);

}  // namespace shadowvm::cli
