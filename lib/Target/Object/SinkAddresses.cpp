//===- SinkAddresses.cpp - Addresses beside the calls that take them ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SinkAddresses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// Recomputes `address` before each call that takes it.
static void sink(GetElementPtrInst *address) {
  SmallVector<CallInst *> calls;
  for (User *user : address->users())
    if (auto *call = dyn_cast<CallInst>(user))
      if (!isa<IntrinsicInst>(call) && !is_contained(calls, call))
        calls.push_back(call);
  for (CallInst *call : calls) {
    Instruction *copy = address->clone();
    copy->insertBefore(call->getIterator());
    copy->setDebugLoc(call->getDebugLoc());
    call->replaceUsesOfWith(address, copy);
  }
  if (address->use_empty())
    address->eraseFromParent();
}

void flywheel::sinkAddresses(Module &module) {
  SmallVector<GetElementPtrInst *> addresses;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *address = dyn_cast<GetElementPtrInst>(&instruction);
      if (address && address->hasAllConstantIndices() &&
          isa<Argument>(address->getPointerOperand()))
        addresses.push_back(address);
    }
  for_each(addresses, sink);
}
