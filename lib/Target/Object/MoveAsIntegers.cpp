//===- MoveAsIntegers.cpp - Moves of f16 and bf16 as integers -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MoveAsIntegers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

CallInst *flywheel::createOnTypes(IRBuilderBase &b, IntrinsicInst *call,
                                  function_ref<Type *(Type *)> getType,
                                  function_ref<Value *(Value *)> getOperand) {
  SmallVector<Type *> overloads;
  if (!Intrinsic::getIntrinsicSignature(call->getCalledFunction(), overloads))
    return nullptr;
  for (Type *&overload : overloads)
    overload = getType(overload);
  SmallVector<Value *> operands;
  for (Value *operand : call->args())
    operands.push_back(getOperand(operand));
  return b.CreateIntrinsic(call->getIntrinsicID(), overloads, operands);
}

namespace {
class Mover {
public:
  Mover(Module &module, function_ref<bool(Type *)> isNarrow)
      : b(module.getContext()), layout(module.getDataLayout()),
        isNarrow(isNarrow) {}

  void run(Function &function);

private:
  Type *getIntegers(Type *type) {
    Type *element = b.getIntNTy(type->getScalarSizeInBits());
    auto *vector = dyn_cast<VectorType>(type);
    return vector ? VectorType::get(element, vector->getElementCount())
                  : element;
  }
  /// Returns the bits of `value` if it is narrow, or `value`.
  Value *bitsOf(Value *value);
  /// Returns the integer replacement of `instruction`; null if it does more
  /// than move, or was changed in place.
  Value *move(Instruction *instruction);
  Value *moveCall(IntrinsicInst *call);

  IRBuilder<> b;
  const DataLayout &layout;
  function_ref<bool(Type *)> isNarrow;
  DenseMap<Value *, Value *> integers;
};
} // namespace

Value *Mover::bitsOf(Value *value) {
  if (!isNarrow(value->getType()))
    return value;
  if (Value *known = integers.lookup(value))
    return known;
  Type *type = getIntegers(value->getType());
  if (auto *constant = dyn_cast<Constant>(value))
    return ConstantFoldCastOperand(Instruction::BitCast, constant, type,
                                   layout);
  // An argument, or the result of an instruction that is not a move: converted
  // once, at its definition, so that phis with two edges from one block have
  // one value.
  IRBuilder<>::InsertPointGuard guard(b);
  if (auto *argument = dyn_cast<Argument>(value)) {
    BasicBlock &entry = argument->getParent()->getEntryBlock();
    b.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  } else {
    b.SetInsertPoint(*cast<Instruction>(value)->getInsertionPointAfterDef());
  }
  return integers[value] = b.CreateBitCast(value, type);
}

Value *Mover::moveCall(IntrinsicInst *call) {
  switch (call->getIntrinsicID()) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_store:
  case Intrinsic::masked_gather:
  case Intrinsic::masked_scatter:
  case Intrinsic::masked_expandload:
  case Intrinsic::masked_compressstore:
  case Intrinsic::vector_insert:
  case Intrinsic::vector_extract:
  case Intrinsic::vector_reverse:
  case Intrinsic::vector_splice_left:
  case Intrinsic::vector_splice_right:
    break;
  default:
    return nullptr;
  }
  CallInst *moved = flywheel::createOnTypes(
      b, call,
      [&](Type *type) { return isNarrow(type) ? getIntegers(type) : type; },
      [&](Value *operand) { return bitsOf(operand); });
  if (!moved)
    return nullptr;
  moved->setAttributes(call->getAttributes());
  moved->copyMetadata(*call);
  return moved;
}

Value *Mover::move(Instruction *instruction) {
  Type *type = instruction->getType();
  auto operand = [&](unsigned index) {
    return bitsOf(instruction->getOperand(index));
  };
  if (auto *load = dyn_cast<LoadInst>(instruction)) {
    LoadInst *moved =
        b.CreateAlignedLoad(getIntegers(type), load->getPointerOperand(),
                            load->getAlign(), load->isVolatile());
    copyMetadataForLoad(*moved, *load);
    return moved;
  }
  if (isa<StoreInst>(instruction)) {
    instruction->setOperand(0, operand(0));
    return nullptr;
  }
  if (auto *phi = dyn_cast<PHINode>(instruction))
    return b.CreatePHI(getIntegers(type), phi->getNumIncomingValues());
  if (isa<SelectInst>(instruction))
    return b.CreateSelect(instruction->getOperand(0), operand(1), operand(2));
  if (isa<FreezeInst>(instruction))
    return b.CreateFreeze(operand(0));
  if (isa<ExtractElementInst>(instruction))
    return b.CreateExtractElement(operand(0), instruction->getOperand(1));
  if (isa<InsertElementInst>(instruction))
    return b.CreateInsertElement(operand(0), operand(1),
                                 instruction->getOperand(2));
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(instruction))
    return b.CreateShuffleVector(operand(0), operand(1),
                                 shuffle->getShuffleMask());
  if (isa<BitCastInst>(instruction))
    return b.CreateBitCast(operand(0),
                           isNarrow(type) ? getIntegers(type) : type);
  if (auto *call = dyn_cast<IntrinsicInst>(instruction))
    return moveCall(call);
  return nullptr;
}

void Mover::run(Function &function) {
  SmallVector<Instruction *> old;
  // Operands before their users, except for phis.
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &instruction : llvm::make_early_inc_range(*block)) {
      bool isConcerned = isNarrow(instruction.getType()) ||
                         llvm::any_of(instruction.operands(), [&](Value *v) {
                           return isNarrow(v->getType());
                         });
      if (!isConcerned)
        continue;
      b.SetInsertPoint(&instruction);
      Value *moved = move(&instruction);
      if (!moved)
        continue;
      integers[&instruction] = moved;
      old.push_back(&instruction);
    }
  for (Instruction *instruction : old) {
    auto *phi = dyn_cast<PHINode>(instruction);
    for (unsigned i = 0; phi && i < phi->getNumIncomingValues(); ++i)
      cast<PHINode>(integers[phi])
          ->addIncoming(bitsOf(phi->getIncomingValue(i)),
                        phi->getIncomingBlock(i));
  }
  DenseSet<Instruction *> isOld(old.begin(), old.end());
  for (Instruction *instruction : old) {
    Value *moved = integers[instruction];
    if (moved->getType() == instruction->getType()) {
      instruction->replaceAllUsesWith(moved);
      continue;
    }
    bool isUsed = llvm::any_of(instruction->users(), [&](User *user) {
      return !isOld.contains(cast<Instruction>(user));
    });
    if (!isUsed)
      continue;
    b.SetInsertPoint(*instruction->getInsertionPointAfterDef());
    instruction->replaceAllUsesWith(
        b.CreateBitCast(moved, instruction->getType()));
  }
  for (Instruction *instruction : old)
    instruction->dropAllReferences();
  for (Instruction *instruction : old)
    instruction->eraseFromParent();
  integers.clear();
}

static Type *getPassed(Type *type, function_ref<bool(Type *)> isNarrow) {
  return isNarrow(type) ? type->getWithNewType(IntegerType::get(
                              type->getContext(), type->getScalarSizeInBits()))
                        : type;
}

/// Replaces a call of a function by one of `callee`, which takes and returns
/// integers.
static void replaceCall(CallInst *call, Function *callee) {
  IRBuilder<> b(call);
  SmallVector<Value *> arguments;
  for (auto [argument, parameter] :
       llvm::zip_equal(call->args(), callee->args()))
    arguments.push_back(b.CreateBitCast(argument, parameter.getType()));
  CallInst *moved = b.CreateCall(callee, arguments);
  moved->setCallingConv(call->getCallingConv());
  moved->setTailCallKind(call->getTailCallKind());
  moved->setAttributes(call->getAttributes());
  for (Argument &parameter : callee->args())
    moved->removeParamAttrs(
        parameter.getArgNo(),
        AttributeFuncs::typeIncompatible(
            parameter.getType(),
            moved->getAttributes().getParamAttrs(parameter.getArgNo())));
  moved->removeRetAttrs(AttributeFuncs::typeIncompatible(
      moved->getType(), moved->getAttributes().getRetAttrs()));
  moved->copyMetadata(*call);
  if (!call->getType()->isVoidTy())
    call->replaceAllUsesWith(b.CreateBitCast(moved, call->getType()));
  call->eraseFromParent();
}

/// Gives a function of the module integers in place of narrow arguments and
/// results, if nothing but calls uses it.
static void passAsIntegers(Function &function,
                           function_ref<bool(Type *)> isNarrow) {
  FunctionType *type = function.getFunctionType();
  SmallVector<Type *> parameters;
  for (Type *parameter : type->params())
    parameters.push_back(getPassed(parameter, isNarrow));
  auto *passed =
      FunctionType::get(getPassed(type->getReturnType(), isNarrow), parameters,
                        /*isVarArg=*/false);
  if (passed == type || type->isVarArg() || !function.hasLocalLinkage() ||
      !llvm::all_of(function.uses(), [](const Use &use) {
        auto *call = dyn_cast<CallInst>(use.getUser());
        return call && call->isCallee(&use);
      }))
    return;
  Function *moved =
      Function::Create(passed, function.getLinkage(),
                       function.getAddressSpace(), "", function.getParent());
  moved->takeName(&function);
  moved->copyAttributesFrom(&function);
  moved->copyMetadata(&function, 0);
  moved->splice(moved->begin(), &function);
  moved->removeRetAttrs(AttributeFuncs::typeIncompatible(
      passed->getReturnType(), moved->getAttributes().getRetAttrs()));
  IRBuilder<> b(&*moved->getEntryBlock().getFirstInsertionPt());
  for (auto [old, parameter] :
       llvm::zip_equal(function.args(), moved->args())) {
    unsigned number = parameter.getArgNo();
    moved->removeParamAttrs(
        number,
        AttributeFuncs::typeIncompatible(
            parameter.getType(), moved->getAttributes().getParamAttrs(number)));
    parameter.takeName(&old);
    old.replaceAllUsesWith(b.CreateBitCast(&parameter, old.getType()));
  }
  for (BasicBlock &block : *moved)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator());
        end && end->getReturnValue()) {
      b.SetInsertPoint(end);
      end->setOperand(
          0, b.CreateBitCast(end->getReturnValue(), passed->getReturnType()));
    }
  for (User *user : llvm::make_early_inc_range(function.users()))
    replaceCall(cast<CallInst>(user), moved);
  function.eraseFromParent();
}

void flywheel::moveAsIntegers(Module &module,
                              function_ref<bool(Type *)> isNarrow) {
  for (Function &function : llvm::make_early_inc_range(module))
    if (!function.isDeclaration())
      passAsIntegers(function, isNarrow);
  Mover mover(module, isNarrow);
  for (Function &function : module)
    if (!function.isDeclaration())
      mover.run(function);
}
