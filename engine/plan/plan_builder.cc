// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/plan_builder.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/plan/action_order.h"
#include "engine/plan/node_builder.h"

namespace shadowvm::plan {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

Settings SettingsOf(const v1::Settings& proto) {
  Settings settings;
  settings.ansi = proto.ansi();
  if (!proto.time_zone().empty()) settings.time_zone = proto.time_zone();
  settings.case_sensitive = proto.case_sensitive();
  settings.strict_float = proto.strict_float();
  settings.allow_decimal_precision_loss = !proto.forbid_decimal_precision_loss();
  return settings;
}

Status CheckVersion(const v1::Command& command) {
  if (command.protocol_version() == kProtocolVersion) return Status::OK();
  return MakeError(ErrorCode::kProtocolVersion,
                   "the command is of version " + std::to_string(command.protocol_version()) +
                       ", this engine reads version " + std::to_string(kProtocolVersion));
}

Status CheckBytes(size_t bytes, const PlanLimits& limits) {
  if (bytes <= static_cast<size_t>(limits.max_bytes)) return Status::OK();
  return MakeError(ErrorCode::kBadCommand, "the command has " + std::to_string(bytes) +
                                               " bytes; at most " +
                                               std::to_string(limits.max_bytes) + " are allowed");
}

Result<std::unique_ptr<ActionNode>> BuildOne(
    const OrderedAction& ordered, const std::vector<std::unique_ptr<const ActionNode>>& nodes,
    const BuildContext& context) {
  std::vector<const ActionNode*> inputs;
  for (const int input : ordered.inputs) inputs.push_back(nodes[input].get());
  auto node = BuildNode(*ordered.action, std::move(inputs), context);
  if (!node.ok()) return base::WithContext(node.status(), PlaceOf(*ordered.action));
  if ((*node)->output.num_fields() > context.limits.max_columns) {
    return MakeError(ErrorCode::kBadCommand, PlaceOf(*ordered.action) + " has more than " +
                                                 std::to_string(context.limits.max_columns) +
                                                 " columns");
  }
  return node;
}

// A field this engine does not know may change what its message means: it must not be passed over.
Status RefuseUnknownFields(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  const auto& unknown = reflection.GetUnknownFields(message);
  if (!unknown.empty()) {
    return MakeError(ErrorCode::kUnsupported, "field " + std::to_string(unknown.field(0).number()) +
                                                  " of a " + message.GetDescriptor()->name() +
                                                  " is not known");
  }
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      SVM_RETURN_NOT_OK(RefuseUnknownFields(reflection.GetMessage(message, field)));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      SVM_RETURN_NOT_OK(RefuseUnknownFields(reflection.GetRepeatedMessage(message, field, i)));
    }
  }
  return Status::OK();
}

std::unique_ptr<const ActionNode> CollectOf(const ActionNode& input) {
  auto sink = std::make_unique<SinkNode>(input.id);
  sink->inputs.push_back(&input);
  sink->output = input.output;
  return sink;
}

}  // namespace

Result<v1::Command> ParseCommand(std::string_view bytes, const PlanLimits& limits) {
  SVM_RETURN_NOT_OK(CheckBytes(bytes.size(), limits));
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  // A level of an expression is up to three messages; then command, action, and what holds the
  // expression.
  stream.SetRecursionLimit(3 * limits.max_expression_depth + 16);
  v1::Command command;
  if (!command.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return MakeError(ErrorCode::kBadCommand, "the bytes are no command, or nest too deep");
  }
  SVM_RETURN_NOT_OK(RefuseUnknownFields(command));
  return command;
}

Result<Plan> BuildPlan(const v1::Command& command, Catalog* catalog, const PlanLimits& limits) {
  SVM_RETURN_NOT_OK(CheckVersion(command));
  SVM_RETURN_NOT_OK(CheckBytes(command.ByteSizeLong(), limits));
  SVM_ASSIGN_OR_RETURN(const auto order, OrderActions(command, limits));
  Settings settings = SettingsOf(command.settings());
  const BuildContext context{settings, limits, catalog};
  std::vector<std::unique_ptr<const ActionNode>> nodes;
  nodes.reserve(order.size() + 1);
  int64_t total_columns = 0;
  for (const auto& ordered : order) {
    SVM_ASSIGN_OR_RETURN(auto node, BuildOne(ordered, nodes, context));
    total_columns += node->output.num_fields();
    if (total_columns > limits.max_total_columns) {
      return MakeError(ErrorCode::kBadCommand, "too many columns over all actions");
    }
    nodes.push_back(std::move(node));
  }
  if (nodes.back()->kind != ActionKind::kSink) nodes.push_back(CollectOf(*nodes.back()));
  return Plan(std::move(settings), std::move(nodes));
}

}  // namespace shadowvm::plan
