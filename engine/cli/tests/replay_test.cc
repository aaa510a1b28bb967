// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/cli/replay/command_file.h"
#include "engine/cli/replay/replay_report.h"
#include "engine/cli/replay/row_digest.h"

namespace shadowvm::cli {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<arrow::Table> Numbers(const std::vector<double>& values, int64_t chunk_rows = 100) {
  arrow::DoubleBuilder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  const auto array = builder.Finish().ValueOrDie();
  arrow::ArrayVector chunks;
  for (int64_t start = 0; start < array->length(); start += chunk_rows) {
    chunks.push_back(array->Slice(start, chunk_rows));
  }
  const auto column = std::make_shared<arrow::ChunkedArray>(chunks, arrow::float64());
  return arrow::Table::Make(arrow::schema({arrow::field("x", arrow::float64())}), {column});
}

RowDigest Digest(const std::shared_ptr<arrow::Table>& table) {
  return DigestOf(*table).ValueOrDie();
}

TEST(RowDigestTest, SeesOrderOnlyWhereAsked) {
  const RowDigest one = Digest(Numbers({1, 2, 3, 3}));
  const RowDigest other = Digest(Numbers({3, 2, 1, 3}));
  EXPECT_EQ(one.unordered, other.unordered);
  EXPECT_NE(one.ordered, other.ordered);
}

TEST(RowDigestTest, CountsEveryRow) {
  EXPECT_NE(Digest(Numbers({1, 2})).unordered, Digest(Numbers({1, 2, 2})).unordered);
  EXPECT_NE(Digest(Numbers({1, 1, 2})).unordered, Digest(Numbers({1, 2, 2})).unordered);
}

TEST(RowDigestTest, DoesNotSeeChunksOrSignsOfZero) {
  EXPECT_EQ(Digest(Numbers({1, 2, 0.0, 4})).ordered, Digest(Numbers({1, 2, -0.0, 4}, 3)).ordered);
}

TEST(RowDigestTest, TellsNullFromEmpty) {
  const auto digest_of = [](bool is_null) {
    arrow::StringBuilder builder;
    EXPECT_TRUE((is_null ? builder.AppendNull() : builder.Append("")).ok());
    const auto schema = arrow::schema({arrow::field("s", arrow::utf8())});
    return Digest(arrow::Table::Make(schema, {builder.Finish().ValueOrDie()})).ordered;
  };
  EXPECT_NE(digest_of(true), digest_of(false));
}

TEST(RowDigestTest, HexHasAllDigits) { EXPECT_EQ(ToHex(0xf3), "00000000000000f3"); }

class CommandFileTest : public ::testing::Test {
 protected:
  CommandFileTest() {
    folder_ = fs::temp_directory_path() / ("replay-test-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  ~CommandFileTest() override { fs::remove_all(folder_); }

  fs::path Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }

  fs::path folder_;
};

TEST_F(CommandFileTest, BothFormsAreRead) {
  v1::Command command;
  command.set_root(7);
  EXPECT_EQ(ReadCommandFile(Write("a.pb", command.SerializeAsString()))->root(), 7);
  EXPECT_EQ(ReadCommandFile(Write("a.json", R"({"root": 7})"))->root(), 7);
}

TEST_F(CommandFileTest, ErrorsNameTheFile) {
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"bad.json", "{\"actions\": 3}"},
                                                        {"bad.pb", "\xff\xff"},
                                                        {"unknown.json", "{\"x\": 1}"}}) {
    const base::Status status = ReadCommandFile(Write(name, text)).status();
    EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kBadCommand);
    EXPECT_NE(status.message().find(name), std::string::npos);
    EXPECT_EQ(status.message().find('\n'), std::string::npos);
  }
  EXPECT_EQ(base::CodeOf(ReadCommandFile(folder_ / "none").status()),
            base::ErrorCode::kFileMissing);
  EXPECT_EQ(base::CodeOf(ReadCommandFile(folder_).status()), base::ErrorCode::kReadFailed);
}

TEST(CommandPathsTest, RootGoesBeforeRelativePathsOfScansAlone) {
  v1::Command command;
  auto* paths = command.add_actions()->mutable_scan()->mutable_files();
  paths->add_paths("a.parquet");
  paths->add_paths("/b.parquet");
  command.add_actions()->mutable_scan()->set_table("t");
  command.add_actions()->mutable_sink()->mutable_parquet()->set_path("c.parquet");
  ReadFrom("/data", &command);
  EXPECT_EQ(command.actions(0).scan().files().paths(0), "/data/a.parquet");
  EXPECT_EQ(command.actions(0).scan().files().paths(1), "/b.parquet");
  EXPECT_EQ(command.actions(2).sink().parquet().path(), "c.parquet");
}

Replay Failed(base::ErrorCode code, const std::string& message) {
  Replay replay;
  replay.file = "b.pb";
  replay.status = base::MakeError(code, message);
  return replay;
}

TEST(ReplayReportTest, AnErrorIsOneLine) {
  const Replay bad = Failed(base::ErrorCode::kCompileFailed, "kernel\nlong log");
  EXPECT_EQ(ToText(bad), "b.pb: SVM-3001 kernel did not compile: kernel\n");
  EXPECT_NE(
      ToJson(ReplaySettings(), std::vector{bad})["commands"][0]["error"].get<std::string>().find(
          "long log"),
      std::string::npos);
}

TEST(ReplayReportTest, HoldsTimesOrTheError) {
  Replay good;
  good.file = "a.pb";
  good.total_ms = 2.5;
  good.rows = 3;
  good.stage_ms[static_cast<int>(base::Stage::kScan)] = 1.25;
  const Replay bad = Failed(base::ErrorCode::kUnknownColumn, "'x'");
  const auto commands = ToJson(ReplaySettings(), std::vector{good, bad})["commands"];
  EXPECT_EQ(commands[0]["stages"]["scan"], 1.25);
  EXPECT_EQ(commands[0]["rows"], 3);
  EXPECT_EQ(commands[1]["code"], 2002);
  EXPECT_FALSE(commands[1].contains("rows"));
  EXPECT_NE(ToText(good).find("3 rows in 2.50 ms"), std::string::npos);
  EXPECT_NE(ToText(bad).find("b.pb: SVM-2002"), std::string::npos);
}

TEST(ReplayReportTest, SaysWherePipelinesRan) {
  Replay replay;
  PlacedPipeline& scan = replay.pipelines.emplace_back();
  scan.title = "sales; one group";
  scan.mode = schedule::Mode::kMixed;
  scan.gpu_rows = 7;
  scan.predicted_ms = 1.5;
  PlacedPipeline& rest = replay.pipelines.emplace_back();
  rest.title = "sales; collects note";
  rest.reason = "strings\nand more";
  const auto pipelines = ToJson(ReplaySettings(), std::vector{replay})["commands"][0]["pipelines"];
  EXPECT_EQ(pipelines[0]["mode"], "mixed");
  EXPECT_EQ(pipelines[0]["rows_on_gpu"], 7);
  EXPECT_FALSE(pipelines[0].contains("reason"));
  EXPECT_EQ(pipelines[1]["mode"], "cpu");
  EXPECT_EQ(pipelines[1]["reason"], "strings\nand more");
  EXPECT_NE(ToText(replay).find("sales; one group: mixed, 0.00 ms, predicted 1.50 ms\n"),
            std::string::npos);
  EXPECT_NE(ToText(replay).find("sales; collects note: cpu, 0.00 ms, strings\n"),
            std::string::npos);
}

TEST(ReplayReportTest, CountsRunsWithoutTheGpu) {
  Replay replay;
  for (const char* why_not : {"", "there was no GPU: it is lost", ""}) {
    replay.gpu_misses.Add(why_not);
  }
  EXPECT_NE(ToText(replay).find("  on the CPU in 1 of 3 runs: there was no GPU: it is lost\n"),
            std::string::npos);
  const auto command = ToJson(ReplaySettings(), std::vector{replay})["commands"][0];
  EXPECT_EQ(command["gpu_why_not"], "there was no GPU: it is lost");
  EXPECT_EQ(command["runs_not_on_gpu"], 1);
  EXPECT_FALSE(
      ToJson(ReplaySettings(), std::vector{Replay()})["commands"][0].contains("gpu_why_not"));
}

TEST(ReplayReportTest, SaysWhatAGpuTook) {
  ReplaySettings settings;
  settings.mode = Mode::kGpu;
  settings.prefetch = Prefetch::kActive;
  settings.active_streams = 4;
  settings.runs = 3;
  Replay replay;
  EXPECT_FALSE(ToJson(settings, std::vector{replay})["commands"][0].contains("gpu"));
  replay.pipelines.emplace_back();
  replay.gpu = {.kernel_ms = 1.5, .copy_ms = 0.5, .link_bytes = 1000, .device_bytes = 2000};
  replay.first_ms = 9;
  replay.runs_agree = false;
  const auto report = ToJson(settings, std::vector{replay});
  EXPECT_EQ(report["settings"]["prefetch"], "active4");
  EXPECT_EQ(report["settings"]["runs"], 3);
  const auto& command = report["commands"][0];
  EXPECT_EQ(command["first_ms"], 9);
  EXPECT_EQ(command["runs_agree"], false);
  EXPECT_EQ(command["gpu"]["kernel_ms"], 1.5);
  EXPECT_EQ(command["gpu"]["copy_ms"], 0.5);
  EXPECT_EQ(command["gpu"]["link_bytes"], 1000);
  EXPECT_EQ(command["gpu"]["link_bytes_are"], "counted");
  EXPECT_EQ(command["gpu"]["device_bytes_estimated"], 2000);
  EXPECT_NE(ToText(replay).find("answers of the runs differ\n"), std::string::npos);
}

TEST(ReplayReportTest, SaysWhoSorted) {
  Replay replay;
  exec::SortDevices& sort = replay.sorts.emplace_back();
  sort.mode = schedule::Mode::kGpu;
  sort.rows = 70;
  sort.predicted_ms = 1.5;
  sort.real_ms = 2;
  sort.times.kernel_ms = 0.5;
  sort.reason = "the GPU is predicted to sort them faster";
  const auto sorts = ToJson(ReplaySettings(), std::vector{replay})["commands"][0]["sorts"];
  EXPECT_EQ(sorts[0]["mode"], "gpu");
  EXPECT_EQ(sorts[0]["rows"], 70);
  EXPECT_EQ(sorts[0]["predicted_ms"], 1.5);
  EXPECT_EQ(sorts[0]["real_ms"], 2);
  EXPECT_EQ(sorts[0]["kernel_ms"], 0.5);
  EXPECT_EQ(sorts[0]["reason"], sort.reason);
  EXPECT_NE(ToText(replay).find("  sort of 70 rows: gpu, predicted 1.50 ms, took 2.00 ms, the GPU "
                                "is predicted to sort them faster\n"),
            std::string::npos)
      << ToText(replay);
}

TEST(ReplayReportTest, SaysWhoMadeHashTables) {
  Replay replay;
  exec::FillDevices& fill = replay.fills.emplace_back();
  fill.build = "parts";
  fill.mode = schedule::Mode::kCpu;
  fill.rows = 70;
  fill.predicted_ms = 1.5;
  fill.real_ms = 2;
  fill.reason = "too few rows to be worth a launch";
  const auto fills = ToJson(ReplaySettings(), std::vector{replay})["commands"][0]["fills"];
  EXPECT_EQ(fills[0]["build"], "parts");
  EXPECT_EQ(fills[0]["mode"], "cpu");
  EXPECT_EQ(fills[0]["rows"], 70);
  EXPECT_EQ(fills[0]["real_ms"], 2);
  EXPECT_EQ(fills[0]["reason"], fill.reason);
  EXPECT_NE(ToText(replay).find("  parts: hash table of 70 rows: cpu, predicted 1.50 ms, took 2.00 "
                                "ms, too few rows to be worth a launch\n"),
            std::string::npos)
      << ToText(replay);
}

}  // namespace
}  // namespace shadowvm::cli
