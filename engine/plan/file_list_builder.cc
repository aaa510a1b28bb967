// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/file_list_builder.h"

#include <string>
#include <utility>

#include "engine/plan/expression.h"
#include "engine/plan/proto_values.h"

namespace shadowvm::plan {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;

Result<columns::Field> FieldFromProto(const v1::Field& proto) {
  auto type = TypeFromProto(proto.type());
  if (!type.ok()) return base::WithContext(type.status(), "field " + proto.name());
  return columns::Field{proto.name(), *type, proto.nullable()};
}

Result<storage::PartitionValue> ValueFromProto(const v1::Literal& proto,
                                               const columns::Field& field) {
  SVM_ASSIGN_OR_RETURN(const ExpressionPtr built, LiteralFromProto(proto));
  if (built->type != field.type) {
    return MakeError(ErrorCode::kBadCommand, "a value of partition field " + field.name + " is " +
                                                 built->type.ToString() + ", not " +
                                                 field.type.ToString());
  }
  const Literal& literal = built->literal;
  return storage::PartitionValue{literal.is_null, literal.integer, literal.number, literal.text};
}

Status AddFile(const v1::ListedFile& proto, storage::FileList* list) {
  if (proto.path().empty() || proto.size() < 0) {
    return MakeError(ErrorCode::kBadCommand, "a file has no path or no size");
  }
  if (proto.partition_values_size() != static_cast<int>(list->partitions.size())) {
    return MakeError(ErrorCode::kBadCommand,
                     proto.path() + " has " + std::to_string(proto.partition_values_size()) +
                         " partition values for " + std::to_string(list->partitions.size()) +
                         " fields");
  }
  list->files.push_back({proto.path(), proto.size(), proto.modified_ms()});
  for (size_t i = 0; i < list->partitions.size(); ++i) {
    storage::PartitionColumn& partition = list->partitions[i];
    auto value = ValueFromProto(proto.partition_values(static_cast<int>(i)), partition.field);
    if (!value.ok()) return base::WithContext(value.status(), proto.path());
    partition.values.push_back(*std::move(value));
  }
  return Status::OK();
}

}  // namespace

Result<std::shared_ptr<const storage::FileList>> BuildFileList(const v1::FileList& proto,
                                                               const Settings& settings) {
  auto list = std::make_shared<storage::FileList>();
  list->case_sensitive = settings.case_sensitive;
  for (const v1::Field& field : proto.data_fields()) {
    SVM_ASSIGN_OR_RETURN(auto built, FieldFromProto(field));
    list->data.push_back(std::move(built));
  }
  for (const v1::Field& field : proto.partition_fields()) {
    SVM_ASSIGN_OR_RETURN(auto built, FieldFromProto(field));
    list->partitions.push_back({std::move(built), {}});
  }
  for (const v1::ListedFile& file : proto.files()) {
    SVM_RETURN_NOT_OK(AddFile(file, list.get()));
  }
  return list;
}

columns::Schema SchemaOf(const storage::FileList& list) {
  columns::Schema schema{list.data};
  for (const storage::PartitionColumn& partition : list.partitions) {
    schema.fields.push_back(partition.field);
  }
  return schema;
}

}  // namespace shadowvm::plan
