// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/processor_options.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "engine/cli/engine_options.h"
#include "engine/cli/number_range.h"

namespace shadowvm::cli {
namespace {

constexpr char kGpuModes[] = "--mode gpu, mixed or auto";
// Options that mean nothing without a GPU.
constexpr const char* kOfGpu[] = {"--prefetch", "--gpu-memory", "--gpu-tasks", kGpuLimitOption,
                                  "--emulate-gpu"};

// Options come checked.
void SetMode(ProcessorSettings* settings, const std::string& word) {
  settings->mode = schedule::ParseMode(word).value();
  // Both at once are for what is not in the GPU's memory.
  const bool keep = settings->mode == Mode::kGpu || settings->mode == Mode::kAuto;
  if (keep) settings->residency = Residency::kDevice;
}

void SetResidency(ProcessorSettings* settings, const std::string& word) {
  settings->residency = word == "file"   ? Residency::kFile
                        : word == "host" ? Residency::kHost
                                         : Residency::kDevice;
}

void SetPrefetch(ProcessorSettings* settings, const std::string& word) {
  settings->prefetch = word == "passive" ? Prefetch::kPassive : Prefetch::kActive;
  if (word != "passive") settings->active_streams = word.back() - '0';
}

const char* NameOf(Residency residency) {
  switch (residency) {
    case Residency::kDevice:
      return "device";
    case Residency::kHost:
      return "host";
    default:
      return "file";
  }
}

std::string PrefetchName(const ProcessorSettings& settings) {
  return settings.prefetch == Prefetch::kPassive
             ? "passive"
             : "active" + std::to_string(settings.active_streams);
}

}  // namespace

void AddProcessorOptions(CLI::App* command, ProcessorSettings* settings) {
  const auto take = [&](const char* name, auto set, const char* explanation) {
    return command->add_option_function<std::string>(
        name, [settings, set](const std::string& word) { set(settings, word); }, explanation);
  };
  take("--mode", SetMode,
       "What works on the rows: cpu (default); gpu, the card where it has "
       "a kernel; mixed, both on one scan; auto, by predicted time")
      ->check(CLI::IsMember({"cpu", "gpu", "mixed", "auto"}))
      ->trigger_on_parse();
  take("--residency", SetResidency,
       "Where the tables are when the clock starts (default: host, "
       "with --mode gpu or auto: device)")
      ->check(CLI::IsMember({"device", "host", "file"}));
  take("--prefetch", SetPrefetch,
       "How the GPU comes by tables that are not in its memory (default: passive; "
       "others: --mode gpu)")
      ->check(CLI::IsMember({"passive", "active1", "active2", "active4"}));
  AddSizeOption(command, "--gpu-memory", &settings->gpu_memory_bytes,
                "The GPU's memory that may be used, such as 4G (default: nine tenths)");
  command
      ->add_option("--gpu-tasks", settings->gpu_tasks,
                   "Queries that work on the GPU at a time; others wait (default: a node's)")
      ->check(WholeNumberIn(1, 64));
  AddGpuLimitOption(command, &settings->gpu_limit);
  command->add_flag("--emulate-gpu", settings->emulate_gpu,
                    "With --mode gpu, mixed or auto: emulate the card, very slowly");
  AddPolicyOption(command, &settings->policy);
}

void AddTraceOption(CLI::App* command, std::string* file) {
  command->add_option(
      "--trace", *file,
      "With --mode mixed or auto: write who took which partition when to this file, "
      "for Chrome's tracing; as a drawing if it ends in .svg");
}

void CheckProcessorOptions(const CLI::App& command, const ProcessorSettings& settings) {
  const auto refuse = [](const std::string& what) { throw CLI::ValidationError(what); };
  if (settings.mode == Mode::kCpu) {
    for (const char* option : kOfGpu) {
      if (IsGiven(command, option)) refuse(option + std::string(" goes with ") + kGpuModes);
    }
    if (settings.residency == Residency::kDevice) {
      refuse(std::string("--residency device goes with ") + kGpuModes);
    }
  }
  // One processor shares with nobody.
  const bool shares = settings.mode == Mode::kMixed || settings.mode == Mode::kAuto;
  for (const char* option : {"--policy", "--trace"}) {
    if (!shares && IsGiven(command, option)) {
      refuse(option + std::string(" goes with --mode mixed or auto"));
    }
  }
  if (shares && settings.residency == Residency::kFile) {
    refuse(
        "--residency file goes with --mode cpu or gpu: what is read from files is left to the "
        "cores in modes mixed and auto; give --residency host, or another mode");
  }
  if (settings.prefetch == Prefetch::kActive && settings.mode != Mode::kGpu) {
    refuse("--prefetch active goes with --mode gpu; in other modes a GPU reads in place");
  }
  if (settings.residency == Residency::kDevice && IsGiven(command, "--prefetch")) {
    refuse("--prefetch goes with --residency host or file");
  }
}

bool IsGiven(const CLI::App& command, const std::string& option) {
  const CLI::Option* const found = command.get_option_no_throw(option);
  return found != nullptr && found->count() > 0;
}

exec::GpuOptions GpuOptionsOf(const ProcessorSettings& settings) {
  exec::GpuOptions options;
  if (settings.mode == Mode::kCpu) return options;
  options.kind = settings.emulate_gpu ? exec::GpuKind::kEmulated : exec::GpuKind::kCuda;
  options.required = settings.mode != Mode::kAuto;
  options.launch_limit = settings.gpu_limit;
  options.limit_option = kGpuLimitOption;
  options.warn = WarnOfGpu;
  options.memory_bytes = settings.gpu_memory_bytes;
  options.active_streams = settings.active_streams;
  if (settings.gpu_tasks > 0) options.concurrent = settings.gpu_tasks;
  if (settings.residency == Residency::kDevice) {
    options.prefetch = exec::GpuPrefetch::kKept;
  } else {
    options.prefetch = settings.prefetch == Prefetch::kPassive ? exec::GpuPrefetch::kPassive
                                                               : exec::GpuPrefetch::kActive;
  }
  return options;
}

nlohmann::ordered_json ToJson(const ProcessorSettings& settings) {
  nlohmann::ordered_json json;
  json["residency"] = NameOf(settings.residency);
  json["mode"] = schedule::NameOf(settings.mode);
  if (settings.mode == Mode::kMixed || settings.mode == Mode::kAuto) {
    json["policy"] = schedule::ToText(settings.policy);
  }
  if (settings.mode != Mode::kCpu) {
    if (settings.residency != Residency::kDevice) json["prefetch"] = PrefetchName(settings);
    json["gpu_memory"] = settings.gpu_memory_bytes;
    if (settings.gpu_tasks > 0) json["gpu_tasks"] = settings.gpu_tasks;
  }
  if (settings.emulate_gpu) json["emulate_gpu"] = true;
  return json;
}

const char* LinkBytesAre(const ProcessorSettings& settings) {
  const bool counted =
      settings.residency != Residency::kDevice && settings.prefetch == Prefetch::kActive;
  return counted ? "counted" : "estimated where read in place";
}

}  // namespace shadowvm::cli
