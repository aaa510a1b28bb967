// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/base/status.h"
#include "engine/kernels/embedded.h"

// Text in, callable out. Kernel text is freestanding C++20: it includes the verbs
// ("engine/kernels/cpu/verbs.h"), no system header, and defines `extern "C" void svm_kernel(void*)`
// (and further entries, if it likes). A Compiler makes a shared object of it, Kernel loads that,
// KernelCache remembers both.
namespace shadowvm::vkernel {

// kFast: milliseconds count, a kernel is waited for. kFull: -O2 with vectorisation, compiled in the
// background. kLibrary: verbs compiled ahead; gives an object to link with, not one to load.
enum class OptLevel { kFast, kFull, kLibrary };
std::string_view NameOf(OptLevel level);

struct CompileRequest {
  std::string name;  // names the kernel in messages
  std::string text;
  OptLevel level = OptLevel::kFast;
  bool sanitize =
      false;  // instrument as the host program is (HostSanitizers); the subprocess compiler only
};

struct CompiledObject {
  std::string bytes;  // an ELF shared object
  std::string log;    // what the compiler said
  double milliseconds = 0;
};

// The headers that kernel text may include. The views must outlive the compiler.
struct HeaderSet {
  std::span<const kernels::EmbeddedHeader> headers;
  std::string_view hash;
};
HeaderSet EmbeddedHeaderSet();

// Compile may be called from any thread. Errors: kCompileFailed (with the compiler's log),
// kCompilerCrashed, kCompilerTimeout, kNoCompiler.
class Compiler {
 public:
  virtual ~Compiler() = default;
  virtual base::Result<CompiledObject> Compile(const CompileRequest& request) = 0;
  // All that decides the code made of a text besides the text, the headers and the level: program,
  // flags, CPU. Cheap: starts no process.
  virtual std::string identity() const = 0;
};

// The processor of this machine, as far as it decides what code runs on it.
std::string HostCpuIdentity();

// Path, size and time of a program: changes when it is replaced. Empty if there is no such file.
std::string ProgramIdentity(const std::string& path);

// The sanitizers this program is built with and kernels can share, as -fsanitize takes them; empty
// if none.
std::string_view HostSanitizers();

// "kernel 'name': <what>" with a log cut to a readable size.
base::Status CompileError(base::ErrorCode code, const std::string& name, std::string_view what);

}  // namespace shadowvm::vkernel
