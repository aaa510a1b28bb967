// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker/note_accesses.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace shadowvm::vkernel {
namespace {

constexpr char kNote[] = "svm_note_access";

bool IsOwnVariable(const llvm::Value* address) {
  const llvm::Value* object = llvm::getUnderlyingObject(address);
  return llvm::isa<llvm::AllocaInst>(object) || llvm::isa<llvm::GlobalVariable>(object);
}

class Notes {
 public:
  explicit Notes(llvm::Function* note) : note_(note), layout_(note->getParent()->getDataLayout()) {}

  void AddTo(llvm::Function* function) const {
    std::vector<llvm::Instruction*> instructions;
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      instructions.push_back(&instruction);
    }
    for (llvm::Instruction* instruction : instructions) AddBefore(instruction);
  }

 private:
  void AddBefore(llvm::Instruction* at) const {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(at)) {
      Add(at, load->getPointerOperand(), SizeOf(load->getType()), false);
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(at)) {
      Add(at, store->getPointerOperand(), SizeOf(store->getValueOperand()->getType()), true);
    } else if (auto* fill = llvm::dyn_cast<llvm::MemIntrinsic>(at)) {
      Add(at, fill->getRawDest(), fill->getLength(), true);
      if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(at)) {
        Add(at, copy->getRawSource(), copy->getLength(), false);
      }
    }
  }

  llvm::Value* SizeOf(llvm::Type* type) const {
    return llvm::ConstantInt::get(note_->getArg(1)->getType(), layout_.getTypeStoreSize(type));
  }

  void Add(llvm::Instruction* at, llvm::Value* address, llvm::Value* bytes, bool writes) const {
    if (IsOwnVariable(address)) return;
    llvm::IRBuilder<> builder(at);
    llvm::CallInst* const call =
        builder.CreateCall(note_, {address, bytes, builder.getInt1(writes)});
    call->setAttributes(note_->getAttributes());  // how a bool is passed
  }

  llvm::Function* const note_;
  const llvm::DataLayout& layout_;
};

}  // namespace

void NoteAccesses(llvm::Module* module) {
  llvm::Function* const note = module->getFunction(kNote);
  if (note == nullptr || note->isDeclaration()) return;
  const Notes notes(note);
  for (llvm::Function& function : *module) {
    if (&function != note) notes.AddTo(&function);
  }
}

}  // namespace shadowvm::vkernel
