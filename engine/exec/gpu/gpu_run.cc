// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/gpu_run.h"

#include <algorithm>

#include "engine/base/fault.h"
#include "engine/exec/gpu/launch_plan.h"

namespace shadowvm::exec {
namespace {

using base::Result;
using base::Status;
using device::DeviceAddress;

class Launch {
 public:
  Launch(const LaunchInputs& inputs, const device::AcceleratorFacts& facts)
      : inputs_(inputs), sink_(inputs.sink), facts_(facts) {}

  Status Run(Gpu::Turn* turn, const device::Program& program) {
    LaunchWriter sizes(0);
    Write(&sizes);
    SVM_ASSIGN_OR_RETURN(const DeviceAddress address, turn->Scratch(sizes.bytes()));
    LaunchWriter writer(address);
    const Written written = Write(&writer);
    std::vector<int64_t> groups(static_cast<size_t>(sink_.num_words()));
    kernels::u32 error = 0;
    device::Stream& stream = *turn->stream();
    Status status = stream.CopyIn(address, writer.image().data(), writer.bytes());
    if (status.ok()) status = stream.Launch(program, written.shape, writer.block_address());
    if (status.ok()) status = stream.CopyOut(groups.data(), written.groups, sink_.num_words() * 8);
    if (status.ok()) status = stream.CopyOut(&error, written.error, sizeof error);
    // What was queued names memory of this function, whatever came of the rest.
    const Status finished = stream.Synchronize();
    SVM_RETURN_NOT_OK(status);
    SVM_RETURN_NOT_OK(finished);
    if (error != 0) {
      return base::MakeError(static_cast<base::ErrorCode>(error),
                             inputs_.binding.blueprint().title);
    }
    std::copy(groups.begin(), groups.end(), sink_.slots);
    return Status::OK();
  }

 private:
  struct Written {
    device::LaunchShape shape;
    DeviceAddress groups = 0;
    DeviceAddress error = 0;
  };

  Written Write(LaunchWriter* writer) const {
    const kernels::u32 no_error = 0;
    kernels::LaunchBlock head{};
    head.call = WriteCall(inputs_, writer);
    head.error = writer->AddRoom(&no_error, 1);
    head.segments = writer->AddData(inputs_.segments.rows.data(), Count(inputs_.segments.rows));
    head.num_segments = static_cast<kernels::u32>(inputs_.segments.rows.size());
    head.num_slots = static_cast<kernels::u32>(sink_.num_slots);
    head.row_words = static_cast<kernels::u32>(RowWords(sink_.accumulators));
    std::vector<int64_t> initial(head.row_words);
    Initialise(sink_.accumulators, initial.data());
    head.initial = writer->AddArray(initial.data(), Count(initial));
    const std::vector<kernels::MergeOp> merge = MergeOps(sink_.accumulators);
    head.merge = writer->AddArray(merge.data(), Count(merge));
    // What is resident, and so the order, depends on the block's size, which must not depend on it.
    std::vector<kernels::ResidentBits> residents(inputs_.binding.blueprint().joins.size());
    const int64_t block_bytes = writer->block_size() +
                                Count(residents) * int64_t{sizeof residents[0]} +
                                Count(inputs_.steps.order) + 32;
    const LaunchPlan plan = PlanLaunch(facts_, inputs_, block_bytes);
    std::copy(plan.residents.begin(), plan.residents.end(), residents.begin());
    head.residents = writer->AddArray(residents.data(), Count(residents));
    head.call.order = writer->AddArray(plan.steps.order.data(), Count(plan.steps.order));
    head.call.num_steps = static_cast<kernels::u32>(plan.steps.order.size());
    head.wide_steps = static_cast<kernels::u32>(plan.steps.wide);
    head.num_residents = static_cast<kernels::u32>(plan.residents.size());
    head.queue_at = plan.queue_at;
    head.dense_at = plan.dense_at;
    writer->Finish(head);
    return {plan.shape, reinterpret_cast<DeviceAddress>(head.call.dense),
            reinterpret_cast<DeviceAddress>(head.error)};
  }

  template <typename T>
  static int64_t Count(const std::vector<T>& values) {
    return static_cast<int64_t>(values.size());
  }

  const LaunchInputs& inputs_;
  const DenseSink& sink_;
  const device::AcceleratorFacts& facts_;
};

}  // namespace

Result<double> RunOnGpu(const QueryContext& context, Gpu* gpu, const device::Program& program,
                        const PipelineBinding& binding, const MeasuredSteps& steps,
                        const DenseSink& sink) {
  SVM_FAULT_POINT("exec.gpu.run");
  SVM_ASSIGN_OR_RETURN(const std::vector<SegmentPtr> segments,
                       ReadSegments(binding, context.stats));
  if (segments.empty()) return 0.0;
  SVM_ASSIGN_OR_RETURN(auto predicates, binding.EvaluatePredicates());
  Gpu::Turn turn(gpu);
  const base::Span span(&context.stats->spans, base::Stage::kRun);
  auto copied = CopySegments(binding, segments, &turn.copies(), turn.stream());
  if (!copied.ok()) {
    // What was queued names segments that are about to go.
    if (!turn.stream()->Synchronize().ok()) turn.copies().Clear();
    return copied.status();
  }
  const LaunchInputs inputs{binding, steps, sink, std::move(*copied), std::move(predicates)};
  const Status ran = Launch(inputs, gpu->facts()).Run(&turn, program);
  if (!ran.ok()) {
    // Nobody knows which copies are whole.
    turn.copies().Clear();
    return ran;
  }
  return turn.stream()->launch_milliseconds();
}

}  // namespace shadowvm::exec
