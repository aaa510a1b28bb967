// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/command_check.h"

#include <utility>

#include "engine/node/flight_error.h"
#include "engine/plan/plan_builder.h"
#include "engine/plan/support.h"

namespace shadowvm::node {
namespace {

class EngineCatalog : public plan::Catalog {
 public:
  explicit EngineCatalog(exec::Engine* engine) : engine_(engine) {}
  base::Result<columns::Schema> SchemaOf(const plan::ScanSource& source) override {
    SVM_ASSIGN_OR_RETURN(const auto table, engine_->Open(source));
    return table->schema();
  }

 private:
  exec::Engine* const engine_;
};

base::Result<plan::Plan> PlanOf(const v1::Command& command, exec::Engine* engine) {
  EngineCatalog catalog(engine);
  return plan::BuildPlan(command, &catalog);
}

v1::ActionSupport ToProto(const plan::ActionSupport& support) {
  v1::ActionSupport proto;
  proto.set_action_id(support.action_id);
  proto.set_supported(support.supported);
  proto.set_reason(std::string(plan::NameOf(support.reason)));
  proto.set_text(Readable(support.text));
  proto.set_expression_path(Readable(support.expression_path));
  return proto;
}

}  // namespace

base::Result<CheckedCommand> CheckCommand(const std::string& bytes, exec::Engine* engine) {
  CheckedCommand checked;
  SVM_ASSIGN_OR_RETURN(checked.plan, engine->Plan(bytes, &checked.stats->spans));
  checked.bytes = bytes;
  return checked;
}

base::Result<v1::ValidateResponse> ValidateCommand(const std::string& bytes, exec::Engine* engine) {
  SVM_ASSIGN_OR_RETURN(const v1::Command command, plan::ParseCommand(bytes));
  v1::ValidateResponse response;
  const auto plan = PlanOf(command, engine);
  if (!plan.ok()) {
    *response.mutable_error() = ToProto(plan.status());
    return response;
  }
  for (const plan::ActionSupport& support : plan::CheckSupport(*plan)) {
    *response.add_actions() = ToProto(support);
  }
  return response;
}

}  // namespace shadowvm::node
