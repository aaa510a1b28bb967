// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/doctor/doctor_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/cli/doctor/finding.h"

namespace shadowvm::cli {
namespace {

constexpr const char* kExamples =
    R"(Examples:
  shadowvm doctor
  shadowvm doctor --json)";

const char* MarkOf(Finding::State state) {
  switch (state) {
    case Finding::State::kGood:
      return "ok";
    case Finding::State::kLimited:
      return "limited";
    case Finding::State::kMissing:
      return "none";
  }
  return "";
}

void PrintTable(const std::vector<Finding>& findings) {
  for (const auto& finding : findings) {
    std::printf("%-15s %-8s %s\n", finding.name.c_str(), MarkOf(finding.state),
                finding.text.c_str());
  }
}

void PrintJson(const std::vector<Finding>& findings) {
  nlohmann::ordered_json object;
  for (const auto& finding : findings) {
    object[finding.name] = {{"state", MarkOf(finding.state)}, {"text", finding.text}};
  }
  std::printf("%s\n", object.dump(2).c_str());
}

}  // namespace

std::vector<Finding> Examine() {
  return {FindCores(),           FindSimd(),        FindMemory(),
          FindHugePages(),       FindKernelCache(), FindCompileWorker(),
          FindCompilerProgram(), FindGpu(),         FindGpuCompiler()};
}

void AddDoctorCommand(CLI::App* app, base::Status* status) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* doctor = app->add_subcommand(
      "doctor", "Say what this machine has, what is missing, and what that costs");
  doctor->footer(kExamples);
  doctor->add_flag("--json", *as_json, "Print one JSON object");
  doctor->callback([as_json, status] {
    *as_json ? PrintJson(Examine()) : PrintTable(Examine());
    *status = base::Status::OK();
  });
}

}  // namespace shadowvm::cli
