//===- Intrinsics.cpp - What the host does for the device's ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Intrinsics.h"

#include "AsyncCopies.h"
#include "Execution.h"
#include "Races.h"
#include "WarpOperations.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <cstddef>

using namespace llvm;

namespace simulator {
namespace {

/// Rewrites the calls of one module.
class Rewriter {
public:
  Rewriter(Module &module, SmallPtrSetImpl<Function *> &waiting)
      : module(module), context(module.getContext()), waiting(waiting),
        i32(Type::getInt32Ty(context)), pointer(PointerType::get(context, 0)) {}

  Error rewrite(CallInst *call);

private:
  /// Returns the value of a special register; null for another name.
  Value *readRegister(StringRef name, IRBuilder<> &b);
  Value *rewriteBarrier(StringRef name, CallInst *call, IRBuilder<> &b);
  Value *rewriteCopy(StringRef name, CallInst *call, IRBuilder<> &b);
  /// The bits of an f32 rounded to 10 of the fraction.
  Value *roundToTF32(StringRef rounding, Value *value, IRBuilder<> &b);
  Value *rewriteWarpOperation(unsigned number, CallInst *call, IRBuilder<> &b);
  CallInst *callRuntime(const char *name, Type *result,
                        ArrayRef<Value *> arguments, IRBuilder<> &b);
  /// Room for words of operands (0) or results (1), one of each a function.
  Value *getBuffer(Function *function, unsigned which);
  /// Writes a value from the given word on; returns the next one.
  unsigned store(Value *value, Value *buffer, unsigned word, IRBuilder<> &b);
  Value *load(Type *type, Value *buffer, unsigned &word, IRBuilder<> &b);

  Module &module;
  LLVMContext &context;
  SmallPtrSetImpl<Function *> &waiting;
  Type *i32;
  PointerType *pointer;
  DenseMap<std::pair<Function *, unsigned>, Value *> buffers;
  /// Instructions at which threads wait are numbered from 1 on.
  uint32_t numSites = 0;
};

} // namespace

static Value *loadRegister(Module &module, size_t offset, Type *type,
                           IRBuilder<> &b) {
  Type *i8 = b.getInt8Ty();
  Constant *registers = module.getOrInsertGlobal(kRegistersName, i8);
  return b.CreateLoad(type, b.CreateConstGEP1_64(i8, registers, offset));
}

Value *readDynamicMemory(Function &function) {
  IRBuilder<> b(&function.getEntryBlock(), function.getEntryBlock().begin());
  return loadRegister(*function.getParent(), offsetof(Registers, dynamicMemory),
                      PointerType::get(function.getContext(), 3), b);
}

Value *Rewriter::readRegister(StringRef name, IRBuilder<> &b) {
  auto read = [&](size_t offset, int axis) {
    return loadRegister(module, offset + sizeof(uint32_t) * axis, i32, b);
  };
  auto getRank = [&] {
    Value *rank = b.getInt32(0);
    for (int axis = 2; axis >= 0; --axis)
      rank = b.CreateAdd(
          b.CreateMul(rank, read(offsetof(Registers, blockSize), axis)),
          read(offsetof(Registers, thread), axis));
    return rank;
  };
  auto getLane = [&] { return b.CreateAnd(getRank(), kWarpSize - 1); };
  if (name == "laneid")
    return getLane();
  if (name == "warpid")
    return b.CreateUDiv(getRank(), b.getInt32(kWarpSize));
  if (name == "warpsize")
    return b.getInt32(kWarpSize);
  if (name.consume_front("lanemask.")) {
    Value *own = b.CreateShl(b.getInt32(1), getLane());
    Value *below = b.CreateSub(own, b.getInt32(1));
    return StringSwitch<Value *>(name)
        .Case("eq", own)
        .Case("lt", below)
        .Case("le", b.CreateOr(own, below))
        .Case("gt", b.CreateNot(b.CreateOr(own, below)))
        .Case("ge", b.CreateNot(below))
        .Default(nullptr);
  }
  auto [vector, axis] = name.split('.');
  size_t offset = StringSwitch<size_t>(vector)
                      .Case("tid", offsetof(Registers, thread))
                      .Case("ctaid", offsetof(Registers, block))
                      .Case("ntid", offsetof(Registers, blockSize))
                      .Case("nctaid", offsetof(Registers, gridSize))
                      .Default(~size_t{0});
  if (offset == ~size_t{0} || axis.size() != 1 || axis[0] < 'x' ||
      axis[0] > 'z')
    return nullptr;
  return read(offset, axis[0] - 'x');
}

CallInst *Rewriter::callRuntime(const char *name, Type *result,
                                ArrayRef<Value *> arguments, IRBuilder<> &b) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = module.getOrInsertFunction(
      name, FunctionType::get(result, types, /*isVarArg=*/false));
  auto *function = cast<Function>(callee.getCallee());
  // All threads come to one call, as they do on the device.
  function->setConvergent();
  function->setDoesNotThrow();
  CallInst *call = b.CreateCall(callee, arguments);
  call->setConvergent();
  return call;
}

Value *Rewriter::rewriteBarrier(StringRef name, CallInst *call,
                                IRBuilder<> &b) {
  std::optional<BarrierKind> kind;
  if (name.consume_front("sync."))
    kind = BarrierKind::Sync;
  else if (name.consume_front("arrive."))
    kind = BarrierKind::Arrive;
  else if (name.consume_front("red.popc."))
    kind = BarrierKind::Count;
  else if (name.consume_front("red.and."))
    kind = BarrierKind::And;
  else if (name.consume_front("red.or."))
    kind = BarrierKind::Or;
  bool isAligned = name.consume_front("aligned.");
  if (!kind || (name != "all" && name != "count"))
    return nullptr;
  unsigned used = 1;
  Value *expected = b.getInt32(0), *predicate = b.getInt32(0);
  if (name == "count")
    expected = call->getArgOperand(used++);
  if (used < call->arg_size())
    predicate = b.CreateZExt(call->getArgOperand(used), i32);
  waiting.insert(call->getFunction());
  Value *result = callRuntime(kBarrierName, i32,
                              {b.getInt32(static_cast<uint32_t>(*kind)),
                               b.getInt32(isAligned ? ++numSites : 0),
                               call->getArgOperand(0), expected, predicate},
                              b);
  return call->getType()->isIntegerTy(1) ? b.CreateTrunc(result, b.getInt1Ty())
                                         : result;
}

Value *Rewriter::rewriteCopy(StringRef name, CallInst *call, IRBuilder<> &b) {
  Type *nothing = b.getVoidTy();
  if (name == "commit.group")
    return callRuntime(kCommitCopiesName, nothing, {}, b);
  if (name == "wait.group")
    return callRuntime(kWaitForCopiesName, nothing, {call->getArgOperand(0)},
                       b);
  if (name == "wait.all")
    return callRuntime(kWaitForAllCopiesName, nothing, {}, b);
  unsigned bytes = StringSwitch<unsigned>(name)
                       .StartsWith("ca.shared.global.4", 4)
                       .StartsWith("ca.shared.global.8", 8)
                       .StartsWith("ca.shared.global.16", 16)
                       .StartsWith("cg.shared.global.16", 16)
                       .Default(0);
  if (!bytes)
    return nullptr;
  auto place = [&](unsigned i) {
    return b.CreateAddrSpaceCast(call->getArgOperand(i), pointer);
  };
  Value *sourceBytes =
      call->arg_size() > 2 ? call->getArgOperand(2) : b.getInt32(bytes);
  return callRuntime(kBeginCopyName, nothing,
                     {place(0), place(1), b.getInt32(bytes), sourceBytes}, b);
}

Value *Rewriter::roundToTF32(StringRef rounding, Value *value, IRBuilder<> &b) {
  constexpr uint32_t kDropped = 0x1FFF, kInfinity = 0x7F800000;
  Value *bits = b.CreateBitCast(value, i32);
  Value *added = nullptr;
  if (rounding == "rna") // To nearest, ties away from zero.
    added = b.getInt32((kDropped + 1) / 2);
  else if (rounding == "rn") // To nearest, ties to even.
    added = b.CreateAdd(b.getInt32(kDropped / 2),
                        b.CreateAnd(b.CreateLShr(bits, 13), 1));
  else if (rounding == "rz")
    added = b.getInt32(0);
  else
    return nullptr;
  // Infinities and NaN stay as they are.
  Value *isFinite =
      b.CreateICmpULT(b.CreateAnd(bits, kInfinity), b.getInt32(kInfinity));
  return b.CreateSelect(isFinite,
                        b.CreateAnd(b.CreateAdd(bits, added), ~kDropped), bits);
}

Value *Rewriter::getBuffer(Function *function, unsigned which) {
  Value *&buffer = buffers[{function, which}];
  if (!buffer) {
    IRBuilder<> b(&function->getEntryBlock(),
                  function->getEntryBlock().begin());
    buffer = b.CreateAlloca(ArrayType::get(i32, kMaxWords));
  }
  return buffer;
}

unsigned Rewriter::store(Value *value, Value *buffer, unsigned word,
                         IRBuilder<> &b) {
  Type *type = value->getType();
  if (type->isIntegerTy() && type->getIntegerBitWidth() < 32)
    value = b.CreateZExt(value, i32);
  b.CreateStore(value, b.CreateConstGEP1_32(i32, buffer, word));
  return word + std::max<unsigned>(
                    1, module.getDataLayout().getTypeStoreSize(type) / 4);
}

Value *Rewriter::load(Type *type, Value *buffer, unsigned &word,
                      IRBuilder<> &b) {
  if (auto *record = dyn_cast<StructType>(type)) {
    Value *result = PoisonValue::get(type);
    for (unsigned i = 0; i < record->getNumElements(); ++i)
      result = b.CreateInsertValue(
          result, load(record->getElementType(i), buffer, word, b), i);
    return result;
  }
  Value *place = b.CreateConstGEP1_32(i32, buffer, word);
  word +=
      std::max<unsigned>(1, module.getDataLayout().getTypeStoreSize(type) / 4);
  if (type->isIntegerTy() && type->getIntegerBitWidth() < 32)
    return b.CreateTrunc(b.CreateLoad(i32, place), type);
  return b.CreateLoad(type, place);
}

Value *Rewriter::rewriteWarpOperation(unsigned number, CallInst *call,
                                      IRBuilder<> &b) {
  const WarpOperation &operation = getWarpOperations()[number];
  Function *function = call->getFunction();
  waiting.insert(function);
  Value *operands = getBuffer(function, 0), *results = getBuffer(function, 1);
  unsigned word = 0;
  for (Value *argument : call->args())
    word = store(argument, operands, word, b);
  // The same instruction for all lanes, or the same mask.
  bool isWhole = operation.maskOperand < 0;
  callRuntime(
      kWarpName, b.getVoidTy(),
      {b.getInt32(number), b.getInt32(isWhole ? ++numSites : 0),
       isWhole ? b.getInt32(0) : call->getArgOperand(operation.maskOperand),
       operands, results},
      b);
  word = 0;
  return call->getType()->isVoidTy() ? call
                                     : load(call->getType(), results, word, b);
}

Error Rewriter::rewrite(CallInst *call) {
  IRBuilder<> b(call);
  StringRef name = call->getCalledFunction()->getName();
  StringRef rest = name;
  Value *result = nullptr;
  if (rest.consume_front("llvm.nvvm.read.ptx.sreg."))
    result = readRegister(rest, b);
  else if (rest.consume_front("llvm.nvvm.barrier.cta."))
    result = rewriteBarrier(rest, call, b);
  else if (rest.consume_front("llvm.nvvm.cp.async."))
    result = rewriteCopy(rest, call, b);
  else if (rest.consume_front("llvm.nvvm.f2tf32."))
    result = roundToTF32(rest, call->getArgOperand(0), b);
  else if (rest.starts_with("llvm.nvvm.membar.") ||
           rest == "llvm.nvvm.fence.sc.cluster")
    // Threads take turns: each sees what was written before. The search for
    // races uses fences.
    result = callRuntime(kFenceName, b.getVoidTy(), {}, b);
  for (auto [number, operation] : enumerate(getWarpOperations()))
    if (operation.name == name)
      result = rewriteWarpOperation(number, call, b);
  if (!result)
    return createStringError("the simulator has no " + name.str());
  if (!call->getType()->isVoidTy())
    call->replaceAllUsesWith(result);
  call->eraseFromParent();
  return Error::success();
}

Error replaceIntrinsics(Module &module, SmallPtrSetImpl<Function *> &waiting) {
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (Function *callee = call->getCalledFunction();
            callee && callee->getName().starts_with("llvm.nvvm."))
          calls.push_back(call);
  Rewriter rewriter(module, waiting);
  for (CallInst *call : calls)
    if (Error error = rewriter.rewrite(call))
      return error;
  return Error::success();
}

} // namespace simulator
