// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "engine/vkernel/compile/worker/frontend.h"

namespace shadowvm::vkernel {

// Optimises a module and makes machine code of it: a relocatable object, or an empty string and a
// log. Fast is a short list of passes: the verbs inlined and cleaned up, nothing vectorised or
// unrolled. Full is the -O2 pipeline. With 'sections' each function can be left out by the linker.
std::string GenerateObject(const Target& target, bool full, bool sections, llvm::Module* module,
                           std::string* log);

// Links an object, and what it calls of the library (which may be empty), to a shared object that
// dlopen takes; empty and a log on failure. Uses the program's standard output, which must be a
// file that belongs to the linker alone.
std::string LinkShared(const std::string& object, const std::string& library, std::string* log);

}  // namespace shadowvm::vkernel
