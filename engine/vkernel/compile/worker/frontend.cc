// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker/frontend.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/ASTWriter.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

namespace shadowvm::vkernel {
namespace {

constexpr char kRoot[] = "/shadowvm/";
constexpr char kPrelude[] = "/shadowvm/prelude.h";
constexpr char kPrecompiled[] = "/shadowvm/prelude.pch";
constexpr char kVerbLibrary[] = "engine/kernels/cpu/verb_library.h";

// Clang's own action writes the precompiled header to a file; this one keeps it.
class PrecompileAction : public clang::ASTFrontendAction {
 public:
  std::string Take() const {
    if (!buffer_->IsComplete) return "";
    return std::string(buffer_->Data.begin(), buffer_->Data.end());
  }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                        llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(
        instance.getPreprocessor(), instance.getModuleCache(), kPrecompiled, "", buffer_,
        instance.getFrontendOpts().ModuleFileExtensions);
  }
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

 private:
  std::shared_ptr<clang::PCHBuffer> buffer_ = std::make_shared<clang::PCHBuffer>();
};

std::vector<std::string> Arguments(const Target& target) {
  std::vector<std::string> arguments = {
      "-triple", target.triple, "-target-cpu", target.cpu, "-tune-cpu", target.cpu, "-O2",
      "-std=c++20",
      // Rounding must be Spark's: a * b + c is two operations.
      "-ffp-contract=off", "-fno-rtti", "-fno-threadsafe-statics", "-fvisibility-inlines-hidden",
      "-mrelocation-model", "pic", "-pic-level", "2", "-fhalf-no-semantic-interposition",
      "-nostdsysteminc", "-nobuiltininc", "-disable-llvm-passes", "-w", "-I", kRoot};
  for (const std::string& feature : target.features) {
    arguments.insert(arguments.end(), {"-target-feature", feature});
  }
  return arguments;
}

std::unique_ptr<clang::CompilerInstance> MakeInstance(
    const std::vector<std::string>& arguments, llvm::raw_ostream& log,
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  auto instance = std::make_unique<clang::CompilerInstance>();
  instance->createDiagnostics(new clang::TextDiagnosticPrinter(log, new clang::DiagnosticOptions()),
                              true);
  if (!clang::CompilerInvocation::CreateFromArgs(instance->getInvocation(), pointers,
                                                 instance->getDiagnostics())) {
    return nullptr;
  }
  instance->createFileManager(std::move(files));
  return instance;
}

}  // namespace

Target HostTarget() {
  Target target{llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), {}};
  // The name alone is not enough: a virtual machine may hide what its processor has.
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    target.features.push_back((feature.second ? "+" : "-") + feature.first().str());
  }
  return target;
}

Frontend::Frontend(Target target, Headers headers, const std::string& prelude)
    : target_(std::move(target)),
      headers_(std::move(headers)),
      prelude_text_("#include \"" + prelude + "\"") {}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Frontend::Files(const std::string& text_path,
                                                                const std::string& text) const {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  auto add = [&](const std::string& path, const std::string& bytes) {
    files->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(bytes, path, true));
  };
  for (const auto& [path, bytes] : headers_) add(kRoot + path, bytes);
  add(kPrelude, prelude_text_);
  if (!precompiled_.empty()) add(kPrecompiled, precompiled_);
  if (!text_path.empty()) add(text_path, text);
  return files;
}

void Frontend::Precompile() {
  std::vector<std::string> arguments = Arguments(target_);
  arguments.insert(arguments.end(), {"-x", "c++-header", kPrelude});
  std::string log;
  llvm::raw_string_ostream stream(log);
  auto instance = MakeInstance(arguments, stream, Files("", ""));
  PrecompileAction action;
  if (instance && instance->ExecuteAction(action)) precompiled_ = action.Take();
}

std::unique_ptr<llvm::Module> Frontend::Parse(const std::string& name, const std::string& text,
                                              Library library, llvm::LLVMContext* context,
                                              std::string* log) const {
  const std::string path = kRoot + name + ".cc";
  std::vector<std::string> arguments = Arguments(target_);
  arguments.insert(arguments.end(), {"-x", "c++"});
  if (!precompiled_.empty() && text.find(prelude_text_) != std::string::npos) {
    arguments.insert(arguments.end(), {"-include-pch", kPrecompiled, "-fno-validate-pch"});
  }
  if (library == Library::kUsed) {
    arguments.insert(arguments.end(), {"-include", std::string(kRoot) + kVerbLibrary});
  }
  // What no kernel calls of the library is left out by the linker, unless it can be seen outside.
  if (library == Library::kDefined) arguments.push_back("-fvisibility=hidden");
  arguments.push_back(path);
  llvm::raw_string_ostream stream(*log);
  auto instance = MakeInstance(arguments, stream, Files(path, text));
  if (!instance) return nullptr;
  clang::EmitLLVMOnlyAction action(context);
  if (!instance->ExecuteAction(action)) return nullptr;
  return action.takeModule();
}

}  // namespace shadowvm::vkernel
