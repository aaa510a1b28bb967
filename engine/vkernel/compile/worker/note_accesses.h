// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <llvm/IR/Module.h>

namespace shadowvm::vkernel {

// Of a text that defines svm_note_access(address, bytes, whether it writes): has it told of every
// access to memory, but for those that are seen to be to the text's own variables. Others are left
// as they are. Optimised code has the fewest accesses; vectorised code may have some by a mask,
// which are not told.
void NoteAccesses(llvm::Module* module);

}  // namespace shadowvm::vkernel
