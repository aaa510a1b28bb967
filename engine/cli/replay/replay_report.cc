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

nlohmann::ordered_json ToJson(const exec::PartDevices& part) {
  nlohmann::ordered_json object;
  object["rows"] = part.rows;
  object["mode"] = schedule::NameOf(part.mode);
  object["predicted_ms"] = part.predicted_ms;
  object["real_ms"] = part.real_ms;
  if (part.mode == schedule::Mode::kGpu) object["kernel_ms"] = part.times.kernel_ms;
  if (!part.reason.empty()) object["reason"] = part.reason;
  return object;
}

nlohmann::ordered_json ToJson(const exec::FillDevices& fill) {
  nlohmann::ordered_json object;
  object["build"] = fill.build;
  object.update(ToJson(static_cast<const exec::PartDevices&>(fill)));
  return object;
}

// Who sorted or made a table, and why where that was not asked for.
std::string PartText(const std::string& what, const exec::PartDevices& part) {
  std::string text = "  " + what + " of " + std::to_string(part.rows) +
                     " rows: " + std::string(schedule::NameOf(part.mode)) + ", predicted " +
                     Milliseconds(part.predicted_ms) + ", took " + Milliseconds(part.real_ms);
  if (!part.reason.empty()) text += ", " + FirstLine(part.reason);
  return text + "\n";
}

void AddDevices(const ReplaySettings& settings, const Replay& replay,
                nlohmann::ordered_json* object) {
  (*object)["gpu"] = {{"kernel_ms", replay.gpu.kernel_ms},
                      {"copy_ms", replay.gpu.copy_ms},
                      {"link_bytes", replay.gpu.link_bytes},
                      {"link_bytes_are", LinkBytesAre(settings)},
                      {"device_bytes_estimated", replay.gpu.device_bytes}};
  (*object)["pipelines"] = nlohmann::ordered_json::array();
  for (const PlacedPipeline& pipeline : replay.pipelines) {
    (*object)["pipelines"].push_back(cli::ToJson(pipeline));
  }
}

nlohmann::ordered_json ToJson(const ReplaySettings& settings, const Replay& replay) {
  nlohmann::ordered_json object;
  object["file"] = replay.file;
  if (!replay.status.ok()) {
    object["error"] = replay.status.message();
    object["code"] = static_cast<int>(base::CodeOf(replay.status));
    return object;
  }
  object["total_ms"] = replay.total_ms;
  object["first_ms"] = replay.first_ms;
  for (int stage = 0; stage < base::kNumStages; ++stage) {
    const std::string name(base::NameOf(static_cast<base::Stage>(stage)));
    object["stages"][name] = replay.stage_ms[stage];
  }
  object["bytes"] = replay.bytes_read;
  object["rows"] = replay.rows;
  object["digest"] = ToHex(replay.digest.unordered);
  object["ordered_digest"] = ToHex(replay.digest.ordered);
  object["runs_agree"] = replay.runs_agree;
  AddMisses(replay.gpu_misses, &object);
  if (!replay.pipelines.empty()) AddDevices(settings, replay, &object);
  for (const exec::SortDevices& sort : replay.sorts) object["sorts"].push_back(ToJson(sort));
  for (const exec::FillDevices& fill : replay.fills) object["fills"].push_back(ToJson(fill));
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
  text += "\n  digest " + ToHex(replay.digest.unordered) + ", in order " +
          ToHex(replay.digest.ordered) + "\n";
  if (!replay.runs_agree) text += "  answers of the runs differ\n";
  if (replay.gpu_misses.missed > 0) text += "  on the CPU " + replay.gpu_misses.ToText() + "\n";
  for (const PlacedPipeline& pipeline : replay.pipelines) text += "  " + ToText(pipeline) + "\n";
  for (const exec::SortDevices& sort : replay.sorts) text += PartText("sort", sort);
  for (const exec::FillDevices& fill : replay.fills) {
    text += PartText(fill.build + ": hash table", fill);
  }
  return text;
}

nlohmann::ordered_json ToJson(const ReplaySettings& settings, const std::vector<Replay>& replays) {
  nlohmann::ordered_json report;
  report["settings"] = {{"threads", settings.threads}, {"memory", settings.memory_bytes}};
  report["settings"].update(ToJson(static_cast<const ProcessorSettings&>(settings)));
  report["settings"]["runs"] = settings.runs;
  report["commands"] = nlohmann::ordered_json::array();
  for (const Replay& replay : replays) report["commands"].push_back(ToJson(settings, replay));
  return report;
}

}  // namespace shadowvm::cli
