// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shadowvm::vkernel {

// The processor that kernels are compiled for: this one.
struct Target {
  std::string triple;
  std::string cpu;
  std::vector<std::string> features;  // "+avx2", "-amx-tile"
};
Target HostTarget();

// Clang's front end over headers and text held in memory: it sees no file of the machine. The
// prelude (the verbs) is parsed once and kept as a precompiled header.
class Frontend {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;  // path, text

  Frontend(Target target, Headers headers, const std::string& prelude);

  // Builds the precompiled prelude. Without it (it is absent, or does not parse) texts are parsed
  // in full, and the errors show up there.
  void Precompile();

  // How a text meets the verb library (engine/kernels/cpu/verb_library.h).
  enum class Library {
    kNone,    // it compiles its own verbs
    kUsed,    // verbs of the library are declared only
    kDefined  // it is the library
  };

  // Unoptimised code of a kernel's text; null and a log if it does not compile.
  std::unique_ptr<llvm::Module> Parse(const std::string& name, const std::string& text,
                                      Library library, llvm::LLVMContext* context,
                                      std::string* log) const;

 private:
  // Everything the front end can open. The buffers refer to this object and to `text`.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files(const std::string& text_path,
                                                        const std::string& text) const;

  Target target_;
  Headers headers_;
  std::string prelude_text_;  // the #include line of the prelude; a text that holds it gets the
                              // precompiled one
  std::string precompiled_;
};

}  // namespace shadowvm::vkernel
