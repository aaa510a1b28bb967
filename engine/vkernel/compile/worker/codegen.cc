// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <optional>

#include "engine/vkernel/compile/worker/backend.h"
#include "engine/vkernel/compile/worker/note_accesses.h"

namespace shadowvm::vkernel {
namespace {

// What is to be inlined says so, so no inliner has to weigh it. Functions are cleaned up before
// they are inlined: once each, not once per call. Induction variables are left as they are:
// simplifying them took a quarter of the time and changed little in kernels. One round of
// instruction combining is enough here; LLVM ends the process if a round that must be the last
// leaves work undone.
constexpr char kFastPasses[] =
    "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>),always-inline,globaldce,"
    "function(sroa,early-cse,simplifycfg,loop-mssa(loop-rotate,licm),gvn,"
    "instcombine<no-verify-fixpoint>,simplifycfg)";

std::unique_ptr<llvm::TargetMachine> MakeMachine(const Target& target, bool full, bool sections,
                                                 std::string* log) {
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, *log);
  if (found == nullptr) return nullptr;
  std::string features;
  for (const std::string& feature : target.features) features += feature + ",";
  llvm::TargetOptions options;
  options.FunctionSections = options.DataSections = sections;
  // Processors that prefer 256-bit vectors keep doing so in vectorised loops; a verb that calls a
  // 512-bit builtin marks its function, and only that one gets 512-bit registers.
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      target.triple, target.cpu, features, options, llvm::Reloc::PIC_, std::nullopt,
      full ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Less));
}

bool Optimise(llvm::TargetMachine* machine, bool full, llvm::Module* module, std::string* log) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = full;
  llvm::PassBuilder builder(machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::ModulePassManager passes;
  if (full) {
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  } else if (llvm::Error error = builder.parsePassPipeline(passes, kFastPasses)) {
    *log = llvm::toString(std::move(error));
    return false;
  }
  passes.run(*module, modules);
  return true;
}

}  // namespace

std::string GenerateObject(const Target& target, bool full, bool sections, llvm::Module* module,
                           std::string* log) {
  const auto machine = MakeMachine(target, full, sections, log);
  if (!machine) return "";
  module->setDataLayout(machine->createDataLayout());
  if (!Optimise(machine.get(), full, module, log)) return "";
  NoteAccesses(module);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emit;
  if (machine->addPassesToEmitFile(emit, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    *log = "this target emits no object files";
    return "";
  }
  emit.run(*module);
  return std::string(object.begin(), object.end());
}

}  // namespace shadowvm::vkernel
