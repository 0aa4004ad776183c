//===- ExpandForLibrary.cpp - Code that needs only libc and libm ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandForLibrary.h"
#include "MoveAsIntegers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace llvm;

namespace {
/// The conversions and roundings for which the target has instructions.
struct Instructions {
  bool f16 = false, maximum = false, roundeven = false;
};
} // namespace

static Instructions getInstructions(const TargetMachine &machine) {
  const Triple &triple = machine.getTargetTriple();
  auto has = [&](StringRef feature) {
    return machine.getMCSubtargetInfo()->checkFeatures(feature);
  };
  if (triple.isX86())
    return {has("+f16c") || has("+avx512f"), has("+sse2"), has("+sse4.1")};
  if (triple.isAArch64())
    return {true, true, true};
  if (triple.isWasm())
    return {false, true, true};
  if (triple.isARM() || triple.isThumb())
    return {has("+fp16"), false, false};
  return {};
}

/// Conversions of f16 that a function has as instructions, some twenty each. A
/// kernel has hundreds, and instruction selection and register allocation take
/// more than twice as long for twice as many; the others are calls.
constexpr unsigned kMaxInlineConversions = 32;

namespace {
class Expander {
public:
  Expander(Module &module, function_ref<bool(Type *)> isNarrow,
           const Instructions &instructions)
      : module(module), b(module.getContext()), isNarrow(isNarrow),
        instructions(instructions) {}

  void run(Function &function) {
    numConversions = 0;
    SmallVector<Instruction *> worklist;
    for (Instruction &instruction : allOf(function))
      worklist.push_back(&instruction);
    for (Instruction *instruction : worklist)
      visit(instruction);
  }

private:
  static iterator_range<inst_iterator> allOf(Function &function) {
    return make_range(inst_begin(function), inst_end(function));
  }

  Type *with(Type *type, Type *element) const {
    auto *vector = dyn_cast<VectorType>(type);
    return vector ? VectorType::get(element, vector->getElementCount())
                  : element;
  }
  Type *asFloat(Type *type) { return with(type, b.getFloatTy()); }
  Type *asInt(Type *type, unsigned bits) {
    return with(type, b.getIntNTy(bits));
  }
  Constant *bits(Type *type, uint64_t value) {
    return ConstantInt::get(type, value);
  }

  void visit(Instruction *instruction);
  Value *expandNarrow(Instruction *instruction);
  Value *expandIntrinsic(IntrinsicInst *call);
  Value *widen(Value *narrow);
  Value *convertHalf(Value *bits, bool widens);
  Function *getConversion(Type *type, bool widens);
  Value *widenHalf(Value *bits);
  Value *narrow(Value *wide, Type *type);
  Value *narrowToHalf(Value *bits);
  Value *narrowToBFloat(Value *bits);
  Value *roundToOdd(Value *f64);
  Value *extremum(Value *lhs, Value *rhs, bool isMaximum);
  Value *reduce(Value *vector, bool isMaximum);

  Module &module;
  IRBuilder<> b;
  function_ref<bool(Type *)> isNarrow;
  const Instructions &instructions;
  /// Those of f16 in the function so far.
  unsigned numConversions = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Emits f16 or bf16 as f32: exact.
Value *Expander::widen(Value *narrow) {
  Type *type = narrow->getType();
  if (type->getScalarType()->isHalfTy())
    return convertHalf(b.CreateBitCast(narrow, asInt(type, 16)),
                       /*widens=*/true);
  Type *i32 = asInt(type, 32);
  Value *wide = b.CreateZExt(b.CreateBitCast(narrow, asInt(type, 16)), i32);
  return b.CreateBitCast(b.CreateShl(wide, bits(i32, 16)), asFloat(type));
}

/// Returns the function that `convertHalf()` calls.
Function *Expander::getConversion(Type *type, bool widens) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  std::string name = widens ? "flywheel.extend.f16" : "flywheel.truncate.f16";
  if (vector)
    name += ".v" + std::to_string(vector->getNumElements());
  if (Function *known = module.getFunction(name))
    return known;
  auto *function = Function::Create(
      FunctionType::get(widens ? asFloat(type) : asInt(type, 16), {type},
                        /*isVarArg=*/false),
      GlobalValue::InternalLinkage, name, module);
  // For the CPU that the callers are for.
  const Function &caller = *b.GetInsertBlock()->getParent();
  for (StringRef attribute : {"target-cpu", "target-features",
                              "prefer-vector-width", "min-legal-vector-width"})
    if (caller.hasFnAttribute(attribute))
      function->addFnAttr(caller.getFnAttribute(attribute));
  function->addFnAttr(Attribute::NoInline);
  function->addFnAttr(Attribute::WillReturn);
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  IRBuilderBase::InsertPointGuard guard(b);
  b.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  Value *given = function->getArg(0);
  b.CreateRet(widens ? widenHalf(given) : narrowToHalf(given));
  return function;
}

/// Emits the bits of an f16 as an f32, or those of an f32 as those of an f16.
Value *Expander::convertHalf(Value *bits, bool widens) {
  if (numConversions++ < kMaxInlineConversions ||
      isa<ScalableVectorType>(bits->getType()))
    return widens ? widenHalf(bits) : narrowToHalf(bits);
  return b.CreateCall(getConversion(bits->getType(), widens), bits);
}

/// Emits the bits of an f16 as an f32.
Value *Expander::widenHalf(Value *narrow) {
  Type *type = narrow->getType(), *i32 = asInt(type, 32), *f32 = asFloat(type);
  Value *half = b.CreateZExt(narrow, i32);
  Value *sign =
      b.CreateShl(b.CreateAnd(half, bits(i32, 0x8000)), bits(i32, 16));
  Value *magnitude =
      b.CreateShl(b.CreateAnd(half, bits(i32, 0x7fff)), bits(i32, 13));
  // The difference of the exponents' biases, once more for infinities and NaN.
  Value *normal = b.CreateAdd(magnitude, bits(i32, 0x38000000));
  Value *special = b.CreateAdd(magnitude, bits(i32, 0x70000000));
  // 2^-14 and the mantissa behind it, less 2^-14.
  Value *offset = bits(i32, 0x38800000);
  Value *small =
      b.CreateFSub(b.CreateBitCast(b.CreateAdd(magnitude, offset), f32),
                   b.CreateBitCast(offset, f32));
  Value *isSpecial = b.CreateICmpUGE(magnitude, bits(i32, 0x0f800000));
  Value *isSmall = b.CreateICmpULT(magnitude, bits(i32, 0x00800000));
  Value *result = b.CreateSelect(isSmall, b.CreateBitCast(small, i32),
                                 b.CreateSelect(isSpecial, special, normal));
  return b.CreateBitCast(b.CreateOr(result, sign), f32);
}

/// Rounds f64 to f32 to odd, so that rounding again gives the correct result.
Value *Expander::roundToOdd(Value *f64) {
  Type *type = f64->getType(), *i32 = asInt(type, 32), *f32 = asFloat(type);
  Value *near = b.CreateFPTrunc(f64, f32);
  Value *back = b.CreateFPExt(near, type);
  Value *isInexact = b.CreateFCmpONE(back, f64);
  Value *isAway = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(Intrinsic::fabs, back),
                                  b.CreateUnaryIntrinsic(Intrinsic::fabs, f64));
  Value *nearBits = b.CreateBitCast(near, i32);
  Value *below = b.CreateSub(nearBits, bits(i32, 1));
  Value *odd =
      b.CreateOr(b.CreateSelect(isAway, below, nearBits), bits(i32, 1));
  return b.CreateBitCast(b.CreateSelect(isInexact, odd, nearBits), f32);
}

/// Emits the bits of an f32 as those of an f16, rounded to nearest, ties to
/// even.
Value *Expander::narrowToHalf(Value *all) {
  Type *i32 = all->getType(), *f32 = asFloat(i32);
  Value *sign = b.CreateAnd(all, bits(i32, 0x80000000));
  Value *magnitude = b.CreateXor(all, sign);
  Value *isNaN = b.CreateICmpUGT(magnitude, bits(i32, 0x7f800000));
  Value *special = b.CreateSelect(isNaN, bits(i32, 0x7e00), bits(i32, 0x7c00));
  // Below the normal range of f16, adding 0.5 rounds correctly: the last place
  // of 0.5 is that of the result.
  Value *half = bits(i32, 0x3f000000);
  Value *sum =
      b.CreateFAdd(b.CreateBitCast(magnitude, f32), b.CreateBitCast(half, f32));
  Value *small = b.CreateSub(b.CreateBitCast(sum, i32), half);
  Value *isOdd =
      b.CreateAnd(b.CreateLShr(magnitude, bits(i32, 13)), bits(i32, 1));
  Value *rounded =
      b.CreateAdd(b.CreateAdd(magnitude, bits(i32, 0xc8000fff)), isOdd);
  Value *normal = b.CreateLShr(rounded, bits(i32, 13));
  Value *isSmall = b.CreateICmpULT(magnitude, bits(i32, 0x38800000));
  Value *isSpecial = b.CreateICmpUGE(magnitude, bits(i32, 0x47800000));
  Value *result = b.CreateSelect(isSpecial, special,
                                 b.CreateSelect(isSmall, small, normal));
  result = b.CreateOr(result, b.CreateLShr(sign, bits(i32, 16)));
  return b.CreateTrunc(result, asInt(i32, 16));
}

Value *Expander::narrowToBFloat(Value *all) {
  Type *i32 = all->getType();
  Value *high = b.CreateLShr(all, bits(i32, 16));
  Value *isOdd = b.CreateAnd(high, bits(i32, 1));
  Value *rounded = b.CreateLShr(
      b.CreateAdd(b.CreateAdd(all, bits(i32, 0x7fff)), isOdd), bits(i32, 16));
  Value *magnitude = b.CreateAnd(all, bits(i32, 0x7fffffff));
  Value *isNaN = b.CreateICmpUGT(magnitude, bits(i32, 0x7f800000));
  Value *result =
      b.CreateSelect(isNaN, b.CreateOr(high, bits(i32, 0x40)), rounded);
  return b.CreateTrunc(result, asInt(i32, 16));
}

/// Emits f32 or f64 as f16 or bf16.
Value *Expander::narrow(Value *wide, Type *type) {
  if (wide->getType()->getScalarType()->isDoubleTy())
    wide = roundToOdd(wide);
  Value *all = b.CreateBitCast(wide, asInt(type, 32));
  bool isHalf = type->getScalarType()->isHalfTy();
  return b.CreateBitCast(
      isHalf ? convertHalf(all, /*widens=*/false) : narrowToBFloat(all), type);
}

//===----------------------------------------------------------------------===//
// Maxima and minima
//===----------------------------------------------------------------------===//

/// Returns NaN if an operand is NaN, and orders -0 before +0.
Value *Expander::extremum(Value *lhs, Value *rhs, bool isMaximum) {
  Type *type = lhs->getType();
  unsigned width = type->getScalarSizeInBits();
  Type *integer = asInt(type, width);
  Value *isFirst =
      isMaximum ? b.CreateFCmpOGT(lhs, rhs) : b.CreateFCmpOLT(lhs, rhs);
  Value *larger = b.CreateSelect(isFirst, lhs, rhs);
  // Equal numbers have equal bits, but for the signs of zeros.
  Value *lhsBits = b.CreateBitCast(lhs, integer),
        *rhsBits = b.CreateBitCast(rhs, integer);
  Value *both =
      isMaximum ? b.CreateAnd(lhsBits, rhsBits) : b.CreateOr(lhsBits, rhsBits);
  Value *result = b.CreateSelect(b.CreateFCmpOEQ(lhs, rhs),
                                 b.CreateBitCast(both, type), larger);
  return b.CreateSelect(b.CreateFCmpUNO(lhs, rhs), b.CreateFAdd(lhs, rhs),
                        result);
}

Value *Expander::reduce(Value *vector, bool isMaximum) {
  unsigned count = cast<FixedVectorType>(vector->getType())->getNumElements();
  while (count > 1 && count % 2 == 0) {
    count /= 2;
    auto low = llvm::to_vector(llvm::seq<int>(0, count));
    auto high = llvm::to_vector(llvm::seq<int>(count, 2 * count));
    vector = extremum(b.CreateShuffleVector(vector, low),
                      b.CreateShuffleVector(vector, high), isMaximum);
  }
  Value *result = b.CreateExtractElement(vector, uint64_t(0));
  for (unsigned i = 1; i < count; ++i)
    result = extremum(result, b.CreateExtractElement(vector, i), isMaximum);
  return result;
}

Value *Expander::expandIntrinsic(IntrinsicInst *call) {
  switch (call->getIntrinsicID()) {
  case Intrinsic::maximum:
  case Intrinsic::minimum:
    if (instructions.maximum)
      return nullptr;
    return extremum(call->getArgOperand(0), call->getArgOperand(1),
                    call->getIntrinsicID() == Intrinsic::maximum);
  case Intrinsic::vector_reduce_fmaximum:
  case Intrinsic::vector_reduce_fminimum:
    if (instructions.maximum ||
        !isa<FixedVectorType>(call->getArgOperand(0)->getType()))
      return nullptr;
    return reduce(call->getArgOperand(0),
                  call->getIntrinsicID() == Intrinsic::vector_reduce_fmaximum);
  case Intrinsic::roundeven:
    // The same in the rounding mode of every program in C that sets none.
    if (instructions.roundeven)
      return nullptr;
    return b.CreateUnaryIntrinsic(Intrinsic::rint, call->getArgOperand(0));
  case Intrinsic::exp10:
    return b.CreateBinaryIntrinsic(Intrinsic::pow,
                                   ConstantFP::get(call->getType(), 10.0),
                                   call->getArgOperand(0));
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Returns true for functions from floating-point numbers to integers.
static bool givesInteger(Intrinsic::ID id) {
  return id == Intrinsic::fptosi_sat || id == Intrinsic::fptoui_sat ||
         id == Intrinsic::lround || id == Intrinsic::llround ||
         id == Intrinsic::lrint || id == Intrinsic::llrint;
}

/// Returns the replacement of an instruction on f16 or bf16; null for one that
/// only moves bits.
Value *Expander::expandNarrow(Instruction *instruction) {
  Type *type = instruction->getType();
  auto widened = [&](Value *value) {
    return isNarrow(value->getType()) ? widen(value) : value;
  };
  auto operand = [&](unsigned index) {
    return widened(instruction->getOperand(index));
  };
  if (isa<FPExtInst>(instruction)) {
    Value *wide = operand(0);
    return wide->getType() == type ? wide : b.CreateFPExt(wide, type);
  }
  if (isa<FPTruncInst>(instruction))
    return narrow(instruction->getOperand(0), type);
  if (auto *binary = dyn_cast<BinaryOperator>(instruction))
    return narrow(b.CreateBinOp(binary->getOpcode(), operand(0), operand(1)),
                  type);
  if (auto *compare = dyn_cast<FCmpInst>(instruction))
    return b.CreateFCmp(compare->getPredicate(), operand(0), operand(1));
  if (instruction->getOpcode() == Instruction::FNeg) {
    Type *i16 = asInt(type, 16);
    return b.CreateBitCast(
        b.CreateXor(b.CreateBitCast(instruction->getOperand(0), i16),
                    bits(i16, 0x8000)),
        type);
  }
  if (isa<SIToFPInst, UIToFPInst>(instruction))
    return narrow(b.CreateCast(cast<CastInst>(instruction)->getOpcode(),
                               instruction->getOperand(0), asFloat(type)),
                  type);
  if (isa<FPToSIInst, FPToUIInst>(instruction))
    return b.CreateCast(cast<CastInst>(instruction)->getOpcode(), operand(0),
                        type);
  // An instruction of the machine takes these numbers as they are.
  auto *call = dyn_cast<IntrinsicInst>(instruction);
  if (!call || call->mayReadOrWriteMemory() ||
      Intrinsic::isTargetIntrinsic(call->getIntrinsicID()) ||
      !(type->isFPOrFPVectorTy() || givesInteger(call->getIntrinsicID())) ||
      call->getIntrinsicID() == Intrinsic::vector_insert ||
      call->getIntrinsicID() == Intrinsic::vector_extract)
    return nullptr;
  // The same function on f32.
  Value *wide = flywheel::createOnTypes(
      b, call,
      [&](Type *type) { return isNarrow(type) ? asFloat(type) : type; },
      widened);
  if (!wide)
    return nullptr;
  if (auto *inner = dyn_cast<IntrinsicInst>(wide))
    if (Value *expanded = expandIntrinsic(inner)) {
      inner->replaceAllUsesWith(expanded);
      inner->eraseFromParent();
      wide = expanded;
    }
  return isNarrow(type) ? narrow(wide, type) : wide;
}

void Expander::visit(Instruction *instruction) {
  b.SetInsertPoint(instruction);
  b.setFastMathFlags(FastMathFlags());
  bool usesNarrow = isNarrow(instruction->getType()) ||
                    llvm::any_of(instruction->operands(), [&](Value *value) {
                      return isNarrow(value->getType());
                    });
  Value *replacement = nullptr;
  if (usesNarrow)
    replacement = expandNarrow(instruction);
  else if (auto *call = dyn_cast<IntrinsicInst>(instruction))
    replacement = expandIntrinsic(call);
  if (!replacement)
    return;
  instruction->replaceAllUsesWith(replacement);
  instruction->eraseFromParent();
}

void flywheel::expandForLibrary(Module &module, const TargetMachine &machine) {
  Instructions instructions = getInstructions(machine);
  auto isNarrow = [&](Type *type) {
    Type *element = type->getScalarType();
    return element->isBFloatTy() || (element->isHalfTy() && !instructions.f16);
  };
  Expander expander(module, isNarrow, instructions);
  for (Function &function : module)
    if (!function.isDeclaration())
      expander.run(function);
  moveAsIntegers(module, isNarrow);
}
