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

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {

/// The most characters that a number has, with its sign.
static constexpr int64_t kMaxDigits = 20;

/// Returns the powers of ten, from the largest down to 1. Division of 64 bits
/// would be a call of a library on small targets.
static SmallVector<int64_t> getPowers() {
  SmallVector<int64_t> powers(kMaxDigits - 1, 1);
  for (size_t i = powers.size() - 1; i-- > 0;)
    powers[i] = powers[i + 1] * 10;
  return powers;
}

/// Emits how often `weight` fits into `number`, from '0' on, and the rest.
std::pair<Value, Value> EntryPointBuilder::emitDigit(Value number,
                                                     Value weight) {
  auto loop = scf::WhileOp::create(
      b, loc, {i64, i8}, {number, constant(i8, '0')},
      [&](OpBuilder &builder, Location, ValueRange values) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        scf::ConditionOp::create(
            b, loc, compare(arith::CmpIPredicate::uge, values[0], weight),
            values);
      },
      [&](OpBuilder &builder, Location, ValueRange values) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        Value rest = subtract(values[0], weight);
        Value character = add(values[1], constant(i8, 1));
        scf::YieldOp::create(b, loc, ValueRange{rest, character});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

/// Emits the decimal digits of `number` (i64) at `out`; returns a pointer
/// behind them.
Value EntryPointBuilder::emitDigits(Value number, LLVM::GlobalOp powers,
                                    Value out) {
  Value isNegative =
      compare(arith::CmpIPredicate::slt, number, constant(i64, 0));
  emitIf(isNegative, [&] { store(constant(i8, '-'), out); });
  Value magnitude =
      select(isNegative, subtract(constant(i64, 0), number), number);
  // The position of the first digit.
  Value start = select(isNegative, offsetBy(out, 1), out);
  auto loop = scf::ForOp::create(
      b, loc, constant(i64, 0), constant(i64, kMaxDigits - 1), constant(i64, 1),
      ValueRange{magnitude, start});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  // One digit a power of ten: how often it fits.
  Value end = loop.getRegionIterArg(1);
  Value weight =
      load(i64, element(i64, getAddressOf(powers), loop.getInductionVar()));
  std::pair<Value, Value> digit = emitDigit(loop.getRegionIterArg(0), weight);
  Value rest = digit.first, character = digit.second;
  // No zeros in front, but for a last one.
  Value isFirst = isEqual(getAddress(end), getAddress(start));
  Value isSkipped = both(isEqual(character, constant(i8, '0')),
                         both(isFirst, isNot(weight, 1)));
  Value next = emitIf(
      isSkipped, [&] { return end; },
      [&] {
        store(character, end);
        return offsetBy(end, 1);
      });
  scf::YieldOp::create(b, loc, ValueRange{rest, next});
  return loop.getResult(1);
}

func::FuncOp EntryPointBuilder::emitFormatter() {
  LLVM::GlobalOp powers = addTable<int64_t>(prefix + ".powers", getPowers());
  func::FuncOp function = beginFunction(prefix + ".format", ptr, {ptr, ptr});
  Value state = function.getArgument(1);
  Value text = offsetBy(state, getStateTextOffset(manifest.variables.size()));
  Value limit = getAddress(offsetBy(text, kStateTextBytes - kMaxDigits - 1));
  auto loop = scf::WhileOp::create(
      b, loc, {ptr, ptr, i8}, {function.getArgument(0), text},
      [&](OpBuilder &builder, Location, ValueRange values) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        Value c = load(i8, values[0]);
        Value hasRoom =
            compare(arith::CmpIPredicate::ult, getAddress(values[1]), limit);
        scf::ConditionOp::create(b, loc, both(isNot(c, 0), hasRoom),
                                 ValueRange{values[0], values[1], c});
      },
      [&](OpBuilder &builder, Location, ValueRange values) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        Value out = values[1], c = values[2];
        Value isNumber =
            compare(arith::CmpIPredicate::ule, c, constant(i8, kMaxNumbers));
        Value end = emitIf(
            isNumber,
            [&] {
              Value index = subtract(extend(c, i64), constant(i64, 1));
              Value numbers = offsetBy(state, kStateNumbersOffset);
              return emitDigits(load(i64, element(i64, numbers, index)), powers,
                                out);
            },
            [&] {
              store(c, out);
              return offsetBy(out, 1);
            });
        scf::YieldOp::create(b, loc, ValueRange{offsetBy(values[0], 1), end});
      });
  store(constant(i8, 0), loop.getResult(1));
  emitReturn(text);
  return function;
}

} // namespace flywheel
