// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/replay/replay_report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/cli/byte_size.h"

namespace shadowvm::cli {
namespace {

std::string Milliseconds(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f ms", value);
  return text;
}

nlohmann::ordered_json ToJson(const exec::PipelineDevices& pipeline) {
  nlohmann::ordered_json object;
  object["pipeline"] = pipeline.title;
  object["mode"] = schedule::NameOf(pipeline.mode);
  object["rows_on_gpu"] = pipeline.rows[schedule::Side::kGpu];
  object["rows_on_cpu"] = pipeline.rows[schedule::Side::kCpu];
  if (!pipeline.reason.empty()) object["reason"] = pipeline.reason;
  return object;
}

// Where each pipeline ran, and why where that was not asked for.
std::string PlacesText(const std::vector<exec::PipelineDevices>& pipelines) {
  std::string text;
  for (const exec::PipelineDevices& pipeline : pipelines) {
    text += "  " + pipeline.title + ": " + std::string(schedule::NameOf(pipeline.mode)) + ", " +
            Milliseconds(pipeline.real_ms);
    if (!pipeline.reason.empty()) text += ", " + FirstLine(pipeline.reason);
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json ToJson(const Replay& replay) {
  nlohmann::ordered_json object;
  object["file"] = replay.file;
  if (!replay.status.ok()) {
    object["error"] = replay.status.message();
    object["code"] = static_cast<int>(base::CodeOf(replay.status));
    return object;
  }
  object["total_ms"] = replay.total_ms;
  for (int stage = 0; stage < base::kNumStages; ++stage) {
    const std::string name(base::NameOf(static_cast<base::Stage>(stage)));
    object["stages"][name] = replay.stage_ms[stage];
  }
  object["bytes"] = replay.bytes_read;
  object["rows"] = replay.rows;
  object["digest"] = ToHex(replay.digest.unordered);
  object["ordered_digest"] = ToHex(replay.digest.ordered);
  for (const exec::PipelineDevices& pipeline : replay.pipelines) {
    object["pipelines"].push_back(ToJson(pipeline));
  }
  return object;
}

}  // namespace

std::string FirstLine(std::string_view message) {
  return std::string(message.substr(0, message.find('\n')));
}

std::string ToText(const Replay& replay) {
  if (!replay.status.ok()) return replay.file + ": " + FirstLine(replay.status.message()) + "\n";
  std::string text = replay.file + ": " + std::to_string(replay.rows) + " rows in " +
                     Milliseconds(replay.total_ms) + ", " + FormatBytes(replay.bytes_read) +
                     " read\n ";
  for (int stage = 0; stage < base::kNumStages; ++stage) {
    text += " " + std::string(base::NameOf(static_cast<base::Stage>(stage))) + " " +
            Milliseconds(replay.stage_ms[stage]);
  }
  return text + "\n  digest " + ToHex(replay.digest.unordered) + ", in order " +
         ToHex(replay.digest.ordered) + "\n" + PlacesText(replay.pipelines);
}

nlohmann::ordered_json ToJson(const std::vector<Replay>& replays) {
  nlohmann::ordered_json report;
  report["commands"] = nlohmann::ordered_json::array();
  for (const Replay& replay : replays) report["commands"].push_back(ToJson(replay));
  return report;
}

}  // namespace shadowvm::cli
