// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>
#include <optional>
#include <set>

#include "engine/exec/tests/kernel_expressions.h"
#include "engine/exec/tests/kernel_fixture.h"
#include "engine/exec/tests/kernel_values.h"
#include "engine/plan/plan_builder.h"
#include "engine/plan/support.h"

// Every operation in generated code against the interpreter, value by value.
namespace shadowvm::exec {
namespace {

using client::Col;
using client::Expr;
using client::Frame;
using client::Named;
using plan::ExpressionPtr;

// More than one tile, and a rest.
constexpr int64_t kRows = 2100;
// Many expressions share a kernel: compiling is what takes time here.
constexpr size_t kBatch = 24;

class OneTable : public plan::Catalog {
 public:
  explicit OneTable(columns::Schema schema) : schema_(std::move(schema)) {}
  base::Result<columns::Schema> SchemaOf(const plan::ScanSource&) override { return schema_; }

 private:
  columns::Schema schema_;
};

std::vector<ExpressionPtr> TypedExpressions(const plan::Plan& plan) {
  std::vector<ExpressionPtr> typed;
  for (const auto& node : plan.nodes()) {
    if (node->kind != plan::ActionKind::kMap) continue;
    for (const auto& named : plan::As<plan::MapNode>(*node).expressions) {
      typed.push_back(named.expression);
    }
  }
  return typed;
}

struct Where {
  v1::EvalMode mode;
  GpuKind gpu;
};

class KernelExpression : public testing::TestWithParam<Where> {
 protected:
  KernelExpression()
      : engine_(MakeTestEngine("", GetParam().gpu)), columns_(RandomColumns(kRows, 11)) {
    columns::Type int32 = columns::Type::Of(columns::TypeKind::kInt32);
    row_ = columns_.size();
    columns_.push_back({"row", int32, false, {}});
    pick_ = columns_.size();
    columns_.push_back({"pick", int32, false, {}});
    raises_ = columns_.size();
    columns_.push_back({"raises", int32, false, {}});
    for (int64_t i = 0; i < kRows; ++i) {
      columns_[row_].values.push_back(Value::Integer(i));
      columns_[pick_].values.push_back(Value::Integer(i % kBatch));
      columns_[raises_].values.push_back(Value::Integer(i % 2));
    }
    rows_.resize(kRows);
    for (const TestColumn& column : columns_) {
      for (int64_t i = 0; i < kRows; ++i) rows_[i].push_back(column.values[i]);
    }
  }

  base::Result<plan::Plan> MakePlan(const Frame& frame) {
    OneTable catalog(SchemaOf(columns_));
    SVM_ASSIGN_OR_RETURN(plan::Plan plan, plan::BuildPlan(frame.ToCommand(), &catalog));
    SVM_RETURN_NOT_OK(plan::RequireSupport(plan));
    return plan;
  }

  // The expressions that the planner takes, in batches.
  std::vector<std::vector<Expr>> Batches() {
    std::vector<std::vector<Expr>> batches;
    std::set<plan::Op> tried;
    std::set<plan::Op> accepted;
    for (const TestExpression& one : ExpressionsOf(GetParam().mode)) {
      tried.insert(one.op);
      const auto plan = MakePlan(client::Table("t").Map({Named("x", one.expr)}));
      if (!plan.ok()) continue;
      accepted.insert(one.op);
      if (batches.empty() || batches.back().size() == kBatch) batches.emplace_back();
      batches.back().push_back(one.expr);
    }
    EXPECT_EQ(tried, accepted) << "an operation was not tried at all";
    num_batches_ = batches.size();
    return batches;
  }

  base::Result<std::shared_ptr<arrow::Table>> Run(const Frame& frame) {
    QueryStats stats;
    auto answer = engine_->Run(frame.ToCommand(), {.stats = &stats, .mode = schedule::Mode::kGpu});
    for (const GpuPipeline& pipeline : stats.gpu) num_on_gpu_ += pipeline.why_not.empty();
    return answer;
  }

  // Only the expression that a row picks is evaluated, so that the others cannot fail it.
  static Frame Guarded(const std::vector<Expr>& batch, int most_raises, int first, int last) {
    std::vector<Named> maps = {"row"};
    for (size_t k = 0; k < batch.size(); ++k) {
      const Expr picked = Col("pick") == static_cast<int>(k);
      maps.emplace_back("x" + std::to_string(k), client::Case().When(picked, batch[k]).End());
    }
    return client::Table("t")
        .Filter(Col("raises") <= most_raises && Col("row").Between(first, last))
        .Map(maps);
  }

  static Frame Plain(const std::vector<Expr>& batch) {
    std::vector<Named> maps = {"row"};
    for (size_t k = 0; k < batch.size(); ++k) maps.emplace_back("x" + std::to_string(k), batch[k]);
    return client::Table("t").Map(maps);
  }

  // Compares an answer with the interpreter for the rows that the answer has.
  void ExpectSame(const arrow::Table& answer, const std::vector<ExpressionPtr>& typed) {
    const auto rows = FromArrow(*answer.column(0), typed[0]->type);
    for (size_t k = 1; k < typed.size(); ++k) {
      const auto values = FromArrow(*answer.column(static_cast<int>(k)), typed[k]->type);
      for (size_t i = 0; i < rows.size(); ++i) {
        ExpectValue(*typed[k], rows_[rows[i].int64()], values[i]);
        if (HasFailure()) return;
      }
    }
  }

  void ExpectValue(const plan::Expression& typed, const std::vector<Value>& row,
                   const Value& value) {
    const auto expected = Evaluate(typed, row);
    ASSERT_TRUE(expected.ok()) << expected.status();
    if (SameValue(typed.type, *expected, value)) return;
    const columns::Schema schema = SchemaOf(columns_);
    std::string operands;
    std::vector<bool> used(columns_.size());
    plan::MarkColumns(typed, &used);
    for (size_t c = 0; c < used.size(); ++c) {
      if (!used[c]) continue;
      operands += " " + columns_[c].name + "=" + plan::ToString(row[c], columns_[c].type);
    }
    FAIL() << plan::ToString(typed, &schema) << " with" << operands << ": expected "
           << plan::ToString(*expected, typed.type) << ", kernel gave "
           << plan::ToString(value, typed.type);
  }

  // Per row the error that evaluating it gives, and the table that knows which rows have one.
  std::vector<std::optional<base::ErrorCode>> MarkRaising(const std::vector<ExpressionPtr>& typed) {
    std::vector<std::optional<base::ErrorCode>> codes(kRows);
    for (int64_t i = 0; i < kRows; ++i) {
      for (const ExpressionPtr& expression : typed) {
        const auto value = Evaluate(*expression, rows_[i]);
        if (!value.ok()) codes[i] = base::CodeOf(value.status());
      }
      columns_[raises_].values[i] = Value::Integer(codes[i].has_value() ? 1 : 0);
    }
    return codes;
  }

  void RunGuarded(const std::vector<Expr>& batch) {
    const auto plan = MakePlan(Guarded(batch, 0, 0, kRows));
    ASSERT_TRUE(plan.ok()) << plan.status();
    const std::vector<ExpressionPtr> typed = TypedExpressions(*plan);
    const auto codes = MarkRaising(typed);
    ASSERT_TRUE(engine_->AddTable("t", *ToTable(columns_)).ok());
    const auto answer = Run(Guarded(batch, 0, 0, kRows));
    ASSERT_TRUE(answer.ok()) << answer.status();
    ExpectSame(**answer, typed);
    // One failing row of each expression and error.
    std::set<std::pair<int64_t, base::ErrorCode>> seen;
    for (int i = 0; i < kRows; ++i) {
      if (!codes[i].has_value() || !seen.insert({i % kBatch, *codes[i]}).second) continue;
      const auto failed = Run(Guarded(batch, 1, i, i));
      ASSERT_FALSE(failed.ok()) << "row " << i << " of x" << i % kBatch;
      EXPECT_EQ(base::CodeOf(failed.status()), *codes[i])
          << "row " << i << " of x" << i % kBatch << ": " << failed.status();
    }
    num_errors_ += seen.size();
  }

  void RunPlain(const std::vector<Expr>& batch) {
    const auto plan = MakePlan(Plain(batch));
    ASSERT_TRUE(plan.ok()) << plan.status();
    const auto answer = Run(Plain(batch));
    ASSERT_TRUE(answer.ok()) << answer.status();
    ASSERT_EQ((*answer)->num_rows(), kRows);
    ExpectSame(**answer, TypedExpressions(*plan));
  }

  std::unique_ptr<Engine> engine_;
  std::vector<TestColumn> columns_;
  std::vector<std::vector<Value>> rows_;
  size_t row_ = 0;
  size_t pick_ = 0;
  size_t raises_ = 0;
  size_t num_errors_ = 0;
  size_t num_batches_ = 0;
  size_t num_on_gpu_ = 0;  // pipelines
};

TEST_P(KernelExpression, GivesWhatTheInterpreterGives) {
  ASSERT_TRUE(engine_->AddTable("t", *ToTable(columns_)).ok());
  for (const std::vector<Expr>& batch : Batches()) {
    if (GetParam().mode == v1::EVAL_MODE_ANSI) {
      RunGuarded(batch);
    } else {
      RunPlain(batch);
    }
  }
  EXPECT_EQ(num_errors_ > 0, GetParam().mode == v1::EVAL_MODE_ANSI);
  if (GetParam().gpu != GpuKind::kNone) {
    EXPECT_GE(num_on_gpu_, num_batches_);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, KernelExpression,
                         testing::Values(Where{v1::EVAL_MODE_LEGACY, GpuKind::kNone},
                                         Where{v1::EVAL_MODE_ANSI, GpuKind::kNone},
                                         Where{v1::EVAL_MODE_TRY, GpuKind::kNone},
                                         Where{v1::EVAL_MODE_LEGACY, GpuKind::kEmulated},
                                         Where{v1::EVAL_MODE_ANSI, GpuKind::kEmulated},
                                         Where{v1::EVAL_MODE_TRY, GpuKind::kEmulated}),
                         [](const auto& info) {
                           return v1::EvalMode_Name(info.param.mode) +
                                  (info.param.gpu == GpuKind::kNone ? "" : "_ON_EMULATED_GPU");
                         });

}  // namespace
}  // namespace shadowvm::exec
