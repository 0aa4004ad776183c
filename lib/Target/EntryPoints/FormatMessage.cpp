//===- FormatMessage.cpp - Numbers in the text of an error ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object needs no library for the texts of its errors: it has a function of
// its own that writes numbers into one.
//
//===----------------------------------------------------------------------===//

#include "EntryPointBuilder.h"

#include "flywheel/Model/StatusMessage.h"

using namespace mlir;

namespace flywheel {

/// The most characters that a number has, with its sign.
static constexpr int64_t kMaxDigits = 20;

/// The powers of ten, from the largest down to 1. Division of 64 bits would be
/// a call of a library on small targets.
static LLVM::GlobalOp createPowers(OpBuilder &b, Location loc,
                                   StringRef prefix) {
  SmallVector<int64_t> powers(kMaxDigits - 1, 1);
  for (size_t i = powers.size() - 1; i-- > 0;)
    powers[i] = powers[i + 1] * 10;
  auto type = RankedTensorType::get({kMaxDigits - 1}, b.getI64Type());
  return LLVM::GlobalOp::create(
      b, loc, LLVM::LLVMArrayType::get(b.getI64Type(), powers.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, (prefix + ".powers").str(),
      DenseElementsAttr::get(type, ArrayRef<int64_t>(powers)));
}

/// Emits the decimal digits of the number (i64) that is the argument of
/// `entry`, behind `out`. Goes on in `next` with where they end.
void EntryPointBuilder::emitDigits(Block *entry, LLVM::GlobalOp powers,
                                   Block *next) {
  Value number = entry->getArgument(0), out = entry->getArgument(1);
  auto makeBlock = [&](ArrayRef<Type> types) {
    return b.createBlock(entry->getParent(), {}, types,
                         SmallVector<Location>(types.size(), loc));
  };
  Block *minus = makeBlock({}), *sized = makeBlock({i64, ptr}),
        *power = makeBlock({i64, i64, ptr}), *subtract = makeBlock({i64, i8}),
        *less = makeBlock({}), *digit = makeBlock({}), *write = makeBlock({}),
        *step = makeBlock({ptr});
  Value zero = nullptr;

  b.setInsertionPointToEnd(entry);
  zero = constant(i64, 0);
  LLVM::CondBrOp::create(b, loc,
                         emitCompare(LLVM::ICmpPredicate::slt, number, zero),
                         minus, ValueRange{}, sized, ValueRange{number, out});
  b.setInsertionPointToEnd(minus);
  LLVM::StoreOp::create(b, loc, constant(i8, '-'), out);
  Value magnitude = LLVM::SubOp::create(b, loc, zero, number);
  LLVM::BrOp::create(b, loc, ValueRange{magnitude, offsetBy(out, 1)}, sized);

  b.setInsertionPointToEnd(sized);
  // Digits start where this is.
  Value start = sized->getArgument(1);
  LLVM::BrOp::create(b, loc,
                     ValueRange{sized->getArgument(0), constant(i64, 0), start},
                     power);

  // One digit a power of ten: how often it fits.
  b.setInsertionPointToEnd(power);
  Value index = power->getArgument(1), end = power->getArgument(2);
  Value table = LLVM::AddressOfOp::create(b, loc, powers);
  Value weight = LLVM::LoadOp::create(b, loc, i64, element(i64, table, index));
  LLVM::BrOp::create(
      b, loc, ValueRange{power->getArgument(0), constant(i8, '0')}, subtract);
  b.setInsertionPointToEnd(subtract);
  Value rest = subtract->getArgument(0), character = subtract->getArgument(1);
  LLVM::CondBrOp::create(
      b, loc, emitCompare(LLVM::ICmpPredicate::uge, rest, weight), less, digit);
  b.setInsertionPointToEnd(less);
  LLVM::BrOp::create(
      b, loc,
      ValueRange{LLVM::SubOp::create(b, loc, rest, weight),
                 LLVM::AddOp::create(b, loc, character, constant(i8, 1))},
      subtract);

  // No zeros in front, but for a last one.
  b.setInsertionPointToEnd(digit);
  Value isZero =
      emitCompare(LLVM::ICmpPredicate::eq, character, constant(i8, '0'));
  Value isFirst = emitCompare(LLVM::ICmpPredicate::eq, end, start);
  Value isNotLast =
      emitCompare(LLVM::ICmpPredicate::ne, weight, constant(i64, 1));
  Value isSkipped = LLVM::AndOp::create(
      b, loc, isZero, LLVM::AndOp::create(b, loc, isFirst, isNotLast));
  LLVM::CondBrOp::create(b, loc, isSkipped, step, ValueRange{end}, write,
                         ValueRange{});
  b.setInsertionPointToEnd(write);
  LLVM::StoreOp::create(b, loc, character, end);
  LLVM::BrOp::create(b, loc, ValueRange{offsetBy(end, 1)}, step);
  b.setInsertionPointToEnd(step);
  Value following = LLVM::AddOp::create(b, loc, index, constant(i64, 1));
  Value isDone = emitCompare(LLVM::ICmpPredicate::eq, following,
                             constant(i64, kMaxDigits - 1));
  LLVM::CondBrOp::create(b, loc, isDone, next, ValueRange{step->getArgument(0)},
                         power,
                         ValueRange{rest, following, step->getArgument(0)});
}

LLVM::LLVMFuncOp EntryPointBuilder::emitFormatter() {
  b.setInsertionPointToEnd(module.getBody());
  LLVM::GlobalOp powers = createPowers(b, loc, prefix);
  LLVM::LLVMFuncOp function =
      beginFunction(prefix + ".format", ptr, {ptr, ptr});
  function.setLinkage(LLVM::Linkage::Internal);
  Block *start = b.getInsertionBlock();
  Value state = start->getArgument(1);
  Region *region = start->getParent();
  Block *copy = b.createBlock(region, {}, {ptr, ptr}, {loc, loc});
  Block *plain = addBlock(), *kept = addBlock(), *done = addBlock();
  Block *size = b.createBlock(region, {}, {i64, ptr}, {loc, loc});
  Block *behind = b.createBlock(region, {}, {ptr}, {loc});

  b.setInsertionPointToEnd(start);
  Value text = offsetBy(state, getStateTextOffset(manifest.variables.size()));
  Value limit = offsetBy(text, kStateTextBytes - kMaxDigits - 1);
  LLVM::BrOp::create(b, loc, ValueRange{start->getArgument(0), text}, copy);

  b.setInsertionPointToEnd(copy);
  Value in = copy->getArgument(0), out = copy->getArgument(1);
  Value c = LLVM::LoadOp::create(b, loc, i8, in);
  Value isEnd = emitCompare(LLVM::ICmpPredicate::eq, c, constant(i8, 0));
  Value isFull = emitCompare(LLVM::ICmpPredicate::uge,
                             LLVM::PtrToIntOp::create(b, loc, i64, out),
                             LLVM::PtrToIntOp::create(b, loc, i64, limit));
  LLVM::CondBrOp::create(b, loc, LLVM::OrOp::create(b, loc, isEnd, isFull),
                         done, plain);
  b.setInsertionPointToEnd(plain);
  Value isNumber =
      emitCompare(LLVM::ICmpPredicate::ule, c, constant(i8, kMaxNumbers));
  Value number = LLVM::SubOp::create(
      b, loc, LLVM::ZExtOp::create(b, loc, i64, c), constant(i64, 1));
  Block *load = addBlock();
  LLVM::CondBrOp::create(b, loc, isNumber, load, kept);
  b.setInsertionPointToEnd(load);
  Value numbers = offsetBy(state, kStateNumbersOffset);
  Value value =
      LLVM::LoadOp::create(b, loc, i64, element(i64, numbers, number));
  LLVM::BrOp::create(b, loc, ValueRange{value, out}, size);
  b.setInsertionPointToEnd(kept);
  LLVM::StoreOp::create(b, loc, c, out);
  LLVM::BrOp::create(b, loc, ValueRange{offsetBy(in, 1), offsetBy(out, 1)},
                     copy);
  emitDigits(size, powers, behind);
  b.setInsertionPointToEnd(behind);
  LLVM::BrOp::create(b, loc,
                     ValueRange{offsetBy(in, 1), behind->getArgument(0)}, copy);

  b.setInsertionPointToEnd(done);
  LLVM::StoreOp::create(b, loc, constant(i8, 0), out);
  emitReturn(text);
  return function;
}

} // namespace flywheel
