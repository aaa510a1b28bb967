// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <google/protobuf/util/json_util.h>

#include "engine/plan/support.h"
#include "engine/plan/tests/plan_fixture.h"
#include "engine/storage/file_list.h"

namespace shadowvm::plan {
namespace {

// Answers as storage would for a list of files.
class ListCatalog : public Catalog {
 public:
  explicit ListCatalog(base::Status answer) : answer_(std::move(answer)) {}
  base::Result<columns::Schema> SchemaOf(const ScanSource& source) override {
    list = source.list;
    SVM_RETURN_NOT_OK(answer_);
    return columns::Schema();
  }
  std::shared_ptr<const storage::FileList> list;

 private:
  base::Status answer_;
};

constexpr char kFields[] = R"("dataFields": [
    {"name": "a", "type": {"kind": "TYPE_KIND_INT32"}, "nullable": true},
    {"name": "b", "type": {"kind": "TYPE_KIND_STRING"}}],
  "partitionFields": [{"name": "p", "type": {"kind": "TYPE_KIND_INT32"}}])";
constexpr char kFile[] = R"({"path": "/t/p=1/x.parquet", "size": "7", "modifiedMs": "8",
  "partitionValues": [{"type": {"kind": "TYPE_KIND_INT32"}, "intValue": "1"}]})";

v1::Command CommandOf(const std::string& list, const std::string& more = "") {
  v1::Command command;
  const std::string text = R"({"protocolVersion": 1, "root": 1, "actions": [
    {"id": 1, "scan": {"fileList": {)" +
                           list + "}" + more + "}}]}";
  const auto parsed = google::protobuf::util::JsonStringToMessage(text, &command);
  EXPECT_TRUE(parsed.ok()) << parsed.message();
  return command;
}

std::string WithFile(const std::string& file) {
  return std::string(kFields) + ", \"files\": [" + file + "]";
}

TEST(FileListTest, TheSchemaIsTheSenders) {
  ListCatalog catalog{base::Status::OK()};
  const auto plan = BuildPlan(CommandOf(WithFile(kFile)), &catalog).ValueOrDie();
  const std::vector<columns::Field> fields = {
      Field("a", columns::Type::Of(columns::TypeKind::kInt32), true),
      Field("b", columns::Type::Of(columns::TypeKind::kString)),
      Field("p", columns::Type::Of(columns::TypeKind::kInt32))};
  EXPECT_EQ(plan.output().fields, fields);
  ASSERT_NE(catalog.list, nullptr);
  EXPECT_EQ(catalog.list->files[0].path, "/t/p=1/x.parquet");
  EXPECT_EQ(catalog.list->files[0].size, 7);
  EXPECT_EQ(catalog.list->files[0].modified_ms, 8);
  EXPECT_EQ(catalog.list->partitions[0].values[0], storage::PartitionValue::Integer(1));
  EXPECT_TRUE(RequireSupport(plan).ok());
}

TEST(FileListTest, AnEmptyListIsAList) {
  ListCatalog catalog{base::Status::OK()};
  EXPECT_EQ(BuildPlan(CommandOf(kFields), &catalog).ValueOrDie().output().num_fields(), 3);
}

TEST(FileListTest, WhatCannotBeReadExactlyIsAReason) {
  ListCatalog catalog{base::MakeError(base::ErrorCode::kUnsupported, "/x: column a is odd")};
  const auto plan = BuildPlan(CommandOf(WithFile(kFile)), &catalog).ValueOrDie();
  const auto support = CheckSupport(plan)[0];
  EXPECT_FALSE(support.supported);
  EXPECT_EQ(NameOf(support.reason), "FILE_COLUMN");
  EXPECT_EQ(support.text, "a column of a file cannot be read exactly: /x: column a is odd");
  EXPECT_EQ(base::CodeOf(RequireSupport(plan)), base::ErrorCode::kUnsupported);
}

TEST(FileListTest, AChangedFileIsAnError) {
  ListCatalog catalog{base::MakeError(base::ErrorCode::kFileChanged, "/x")};
  EXPECT_EQ(base::CodeOf(BuildPlan(CommandOf(WithFile(kFile)), &catalog).status()),
            base::ErrorCode::kFileChanged);
}

TEST(FileListTest, RefusesMalformedLists) {
  const std::string value = R"({"type": {"kind": "TYPE_KIND_INT64"}, "intValue": "1"})";
  const v1::Command bad[] = {
      CommandOf(WithFile(R"({"path": "/x", "size": "1"})")),
      CommandOf(WithFile(R"({"path": "/x", "size": "1", "partitionValues": [)" + value + "]}")),
      CommandOf(R"("files": [{"path": "", "size": "1"}])"),
      CommandOf(R"("files": [{"path": "/x", "size": "-1"}])"),
      CommandOf(WithFile(kFile), R"(, "columns": ["a"])"),
  };
  for (const v1::Command& command : bad) {
    ListCatalog catalog{base::Status::OK()};
    const auto status = BuildPlan(command, &catalog).status();
    EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kBadCommand) << command.DebugString();
  }
  ListCatalog catalog{base::Status::OK()};
  EXPECT_EQ(
      base::CodeOf(BuildPlan(CommandOf(R"("dataFields": [{"name": "a"}])"), &catalog).status()),
      base::ErrorCode::kUnsupportedType);
}

}  // namespace
}  // namespace shadowvm::plan
