//===- InstrumentAccesses.cpp - Calls at each access of memory ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before any optimization, so that what races is what the device code says.
// Variables of a thread of its own are left out.
//
//===----------------------------------------------------------------------===//

#include "Races.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace simulator {
namespace {

/// Adds calls before the instructions of a module.
class Instrumenter {
public:
  explicit Instrumenter(Module &module)
      : module(module), layout(module.getDataLayout()),
        pointer(PointerType::get(module.getContext(), 0)) {}

  Error instrument(Instruction &instruction);

private:
  void call(const char *name, ArrayRef<Value *> arguments, IRBuilder<> &b);
  void access(Value *address, Value *bytes, AccessKind kind, Align alignment,
              IRBuilder<> &b);
  void access(Value *address, Type *type, AccessKind kind, Align alignment,
              IRBuilder<> &b) {
    access(address, b.getInt64(layout.getTypeStoreSize(type)), kind, alignment,
           b);
  }
  void atomic(Value *address, Type *type, AtomicOrdering ordering,
              Align alignment, IRBuilder<> &b);
  /// Elements of a vector where a mask is set, from one address on or from
  /// addresses of their own.
  void masked(Value *addresses, Value *mask, FixedVectorType *type,
              AccessKind kind, Align alignment, IRBuilder<> &b);
  Error instrument(IntrinsicInst &intrinsic);

  Module &module;
  const DataLayout &layout;
  Type *pointer;
};

} // namespace

void Instrumenter::call(const char *name, ArrayRef<Value *> arguments,
                        IRBuilder<> &b) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = module.getOrInsertFunction(
      name, FunctionType::get(b.getVoidTy(), types, /*isVarArg=*/false));
  cast<Function>(callee.getCallee())->setDoesNotThrow();
  b.CreateCall(callee, arguments);
}

void Instrumenter::access(Value *address, Value *bytes, AccessKind kind,
                          Align alignment, IRBuilder<> &b) {
  if (isa<AllocaInst>(getUnderlyingObject(address)))
    return;
  call(kAccessName,
       {b.CreateAddrSpaceCast(address, pointer),
        b.CreateZExtOrTrunc(bytes, b.getInt64Ty()),
        b.getInt32(static_cast<uint32_t>(kind)), b.getInt64(alignment.value())},
       b);
}

void Instrumenter::atomic(Value *address, Type *type, AtomicOrdering ordering,
                          Align alignment, IRBuilder<> &b) {
  access(address, type, AccessKind::Atomic, alignment, b);
  call(kAtomicName,
       {b.CreateAddrSpaceCast(address, pointer),
        b.getInt32(isReleaseOrStronger(ordering)),
        b.getInt32(isAcquireOrStronger(ordering))},
       b);
}

void Instrumenter::masked(Value *addresses, Value *mask, FixedVectorType *type,
                          AccessKind kind, Align alignment, IRBuilder<> &b) {
  Type *element = type->getElementType();
  uint64_t bytes = layout.getTypeStoreSize(element);
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    Value *address = addresses->getType()->isVectorTy()
                         ? b.CreateExtractElement(addresses, i)
                         : b.CreateConstGEP1_32(element, addresses, i);
    Value *used = b.CreateSelect(b.CreateExtractElement(mask, i),
                                 b.getInt64(bytes), b.getInt64(0));
    access(address, used, kind, commonAlignment(alignment, bytes), b);
  }
}

Error Instrumenter::instrument(IntrinsicInst &intrinsic) {
  IRBuilder<> b(&intrinsic);
  auto operand = [&](unsigned i) { return intrinsic.getArgOperand(i); };
  auto typeOf = [](Value *value) {
    return cast<FixedVectorType>(value->getType());
  };
  auto alignOf = [&](unsigned i) {
    return intrinsic.getParamAlign(i).valueOrOne();
  };
  switch (intrinsic.getIntrinsicID()) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather:
    masked(operand(0), operand(1), typeOf(&intrinsic), AccessKind::Read,
           alignOf(0), b);
    return Error::success();
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
    masked(operand(1), operand(2), typeOf(operand(0)), AccessKind::Write,
           alignOf(1), b);
    return Error::success();
  default:
    break;
  }
  if (auto *copied = dyn_cast<AnyMemTransferInst>(&intrinsic))
    access(copied->getRawSource(), copied->getLength(), AccessKind::Read,
           copied->getSourceAlign().valueOrOne(), b);
  if (auto *written = dyn_cast<AnyMemIntrinsic>(&intrinsic)) {
    access(written->getRawDest(), written->getLength(), AccessKind::Write,
           written->getDestAlign().valueOrOne(), b);
    return Error::success();
  }
  // The device's own are looked at where they are executed.
  if (intrinsic.mayReadOrWriteMemory() &&
      !intrinsic.onlyAccessesInaccessibleMemory() &&
      !intrinsic.getCalledFunction()->getName().starts_with("llvm.nvvm.") &&
      !intrinsic.isAssumeLikeIntrinsic())
    return createStringError("races cannot be looked for with " +
                             intrinsic.getCalledFunction()->getName().str());
  return Error::success();
}

Error Instrumenter::instrument(Instruction &instruction) {
  IRBuilder<> b(&instruction);
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    if (load->isAtomic())
      atomic(load->getPointerOperand(), load->getType(), load->getOrdering(),
             load->getAlign(), b);
    else
      access(load->getPointerOperand(), load->getType(), AccessKind::Read,
             load->getAlign(), b);
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    Type *type = store->getValueOperand()->getType();
    if (store->isAtomic())
      atomic(store->getPointerOperand(), type, store->getOrdering(),
             store->getAlign(), b);
    else
      access(store->getPointerOperand(), type, AccessKind::Write,
             store->getAlign(), b);
  } else if (auto *changed = dyn_cast<AtomicRMWInst>(&instruction)) {
    atomic(changed->getPointerOperand(), changed->getType(),
           changed->getOrdering(), changed->getAlign(), b);
  } else if (auto *exchanged = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    atomic(exchanged->getPointerOperand(),
           exchanged->getNewValOperand()->getType(),
           exchanged->getSuccessOrdering(), exchanged->getAlign(), b);
  } else if (isa<FenceInst>(instruction)) {
    call(kFenceName, {}, b);
  } else if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
    return instrument(*intrinsic);
  }
  return Error::success();
}

Error instrumentAccesses(Module &module) {
  SmallVector<Instruction *> accesses;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      accesses.push_back(&instruction);
  Instrumenter instrumenter(module);
  for (Instruction *instruction : accesses)
    if (Error error = instrumenter.instrument(*instruction))
      return error;
  return Error::success();
}

} // namespace simulator
