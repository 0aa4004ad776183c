//===- UpliftWhile.cpp - Counted loops of while loops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With B for the first region and A for the second one, and v for the values
// that B forwards to A,
//
//   (c, v) = B(init)                      (c, v) = B(init)
//   while c:                              for i in counts, if c:
//     (c, v) = B(A(v))                      (c, v) = B(A(v))
//   result v                              result v
//
// are the same if the counts of the second are not fewer than the iterations of
// the first. If c is just the comparison of the counter, it is true for every
// count.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/UpliftWhile.h"

#include "Rules/LoopBounds.h"

#include "flywheel/Autodiff/InlineRegion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using Predicate = arith::CmpIPredicate;

namespace flywheel {
namespace {

/// A value of an iteration in terms of its start: carried value number
/// `position`, plus a constant.
struct Affine {
  unsigned position;
  int64_t offset;
};

/// A comparison of a number that changes by `step` with every iteration.
struct Counter {
  /// The number: of the operands of the comparison, the one that changes.
  Affine number;
  int64_t step;
  /// The other one, as it is written in the loop.
  Value limit;
  /// The predicate of the number and the limit, in this order.
  Predicate predicate;
};

/// The counts of the `scf.for`.
struct Counts {
  Value begin, end, step;
  /// The initial number, if the number decreases: counts are distances from it.
  Value descendsFrom;
};

class WhileUplifter {
public:
  WhileUplifter(OpBuilder &builder, scf::WhileOp loop)
      : b(builder), loop(loop), loc(loop.getLoc()),
        before(loop.getBeforeBody()), after(loop.getAfterBody()),
        condition(loop.getConditionOp()), yield(loop.getYieldOp()) {}

  LogicalResult run();

private:
  std::optional<Affine> trace(Value value);
  std::optional<Affine> traceTo(Value value, unsigned position);
  bool isCarriedUnchanged(unsigned position);
  bool computeIsInvariant(Value value);
  bool isInvariant(Value value);
  Value emitInvariant(Value value);
  std::optional<Counter> findCounter(arith::CmpIOp compare);
  std::optional<Counter> findCounter(Value term, unsigned &numTerms);
  Value emitIndex(Value value, bool isSigned);
  Value addConstant(Value value, int64_t number);
  std::optional<Counts> emitCounts(const Counter &counter);
  bool reachesExactly(const Counter &counter, Value start, Value limit);
  void emitLoop(const Counter &counter, const Counts &counts, bool mayEndEarly);
  SmallVector<Value> emitIteration(OpBuilder &at, ValueRange passed);

  OpBuilder &b;
  scf::WhileOp loop;
  Location loc;
  Block *before, *after;
  scf::ConditionOp condition;
  scf::YieldOp yield;
  /// The known results for values of the loop, and the emitted ones.
  llvm::DenseMap<Value, bool> invariant;
  IRMapping emitted;
};
} // namespace

static std::optional<int64_t> getConstantIntegerValue(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) || !number.isSignedIntN(64))
    return std::nullopt;
  return number.getSExtValue();
}

/// Traces `value` through additions of constants, and through the values that
/// the first region forwards to the second, back to a carried value.
std::optional<Affine> WhileUplifter::trace(Value value) {
  int64_t offset = 0;
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == before)
        return Affine{argument.getArgNumber(), offset};
      if (argument.getOwner() != after)
        return std::nullopt;
      value = condition.getArgs()[argument.getArgNumber()];
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!isa<arith::AddIOp, arith::SubIOp>(op))
      return std::nullopt;
    Value left = op->getOperand(0), right = op->getOperand(1);
    std::optional<int64_t> number = getConstantIntegerValue(right);
    if (!number && isa<arith::AddIOp>(op)) {
      std::swap(left, right);
      number = getConstantIntegerValue(right);
    }
    bool overflows =
        !number ||
        (isa<arith::AddIOp>(op) ? llvm::AddOverflow(offset, *number, offset)
                                : llvm::SubOverflow(offset, *number, offset));
    if (overflows)
      return std::nullopt;
    value = left;
  }
}

std::optional<Affine> WhileUplifter::traceTo(Value value, unsigned position) {
  std::optional<Affine> traced = trace(value);
  return traced && traced->position == position ? traced : std::nullopt;
}

bool WhileUplifter::isCarriedUnchanged(unsigned position) {
  if (yield.getOperand(position) == loop.getInits()[position])
    return true;
  std::optional<Affine> next = traceTo(yield.getOperand(position), position);
  return next && next->offset == 0;
}

bool WhileUplifter::computeIsInvariant(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == before &&
           isCarriedUnchanged(argument.getArgNumber());
  Operation *op = value.getDefiningOp();
  return op->getBlock() == before && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isInvariant(operand); });
}

/// Returns true if `value` is the same in each iteration, and can be computed
/// before the first one.
bool WhileUplifter::isInvariant(Value value) {
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  auto known = invariant.find(value);
  if (known != invariant.end())
    return known->second;
  bool isSame = computeIsInvariant(value);
  invariant[value] = isSame;
  return isSame;
}

/// Returns `value`, which is invariant, as computed before the loop.
Value WhileUplifter::emitInvariant(Value value) {
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return value;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return loop.getInits()[argument.getArgNumber()];
  if (!emitted.contains(value)) {
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      emitted.map(operand, emitInvariant(operand));
    b.clone(*op, emitted);
  }
  return emitted.lookup(value);
}

static Predicate swapOperands(Predicate predicate) {
  switch (predicate) {
  case Predicate::slt:
    return Predicate::sgt;
  case Predicate::sle:
    return Predicate::sge;
  case Predicate::sgt:
    return Predicate::slt;
  case Predicate::sge:
    return Predicate::sle;
  case Predicate::ult:
    return Predicate::ugt;
  case Predicate::ule:
    return Predicate::uge;
  case Predicate::ugt:
    return Predicate::ult;
  case Predicate::uge:
    return Predicate::ule;
  case Predicate::eq:
  case Predicate::ne:
    return predicate;
  }
  llvm_unreachable("all predicates are covered");
}

static bool isUnsigned(Predicate predicate) {
  return predicate == Predicate::ult || predicate == Predicate::ule;
}

/// Returns true if a comparison is true up to a limit that the number
/// approaches.
static bool isApproaching(Predicate predicate, int64_t step) {
  switch (predicate) {
  case Predicate::slt:
  case Predicate::sle:
  case Predicate::ult:
  case Predicate::ule:
    return step > 0;
  case Predicate::sgt:
  case Predicate::sge:
    return step < 0;
  case Predicate::ne:
    return step != 0;
  default:
    return false;
  }
}

std::optional<Counter> WhileUplifter::findCounter(arith::CmpIOp compare) {
  if (!isa<IntegerType, IndexType>(compare.getLhs().getType()))
    return std::nullopt;
  for (bool isSwapped : {false, true}) {
    Value changing = isSwapped ? compare.getRhs() : compare.getLhs();
    Value limit = isSwapped ? compare.getLhs() : compare.getRhs();
    std::optional<Affine> number = trace(changing);
    if (!number || !isInvariant(limit))
      continue;
    std::optional<Affine> next =
        traceTo(yield.getOperand(number->position), number->position);
    Predicate predicate = isSwapped ? swapOperands(compare.getPredicate())
                                    : compare.getPredicate();
    if (next && isApproaching(predicate, next->offset))
      return Counter{*number, next->offset, limit, predicate};
  }
  return std::nullopt;
}

/// Finds a counter among the terms that `term` is the conjunction of, and
/// counts them.
std::optional<Counter> WhileUplifter::findCounter(Value term,
                                                  unsigned &numTerms) {
  Operation *op = term.getDefiningOp();
  Value other;
  if (auto conjunction = dyn_cast_if_present<arith::AndIOp>(op))
    other = conjunction.getRhs();
  else if (auto select = dyn_cast_if_present<arith::SelectOp>(op))
    if (matchPattern(select.getFalseValue(), m_Zero()))
      other = select.getTrueValue();
  if (other) {
    std::optional<Counter> first = findCounter(op->getOperand(0), numTerms),
                           second = findCounter(other, numTerms);
    return first ? first : second;
  }
  ++numTerms;
  auto compare = dyn_cast_if_present<arith::CmpIOp>(op);
  return compare ? findCounter(compare) : std::nullopt;
}

/// Casts `value`, an integer or index, to an index.
Value WhileUplifter::emitIndex(Value value, bool isSigned) {
  if (value.getType().isIndex())
    return value;
  if (isSigned)
    return b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), value);
  return b.createOrFold<arith::IndexCastUIOp>(loc, b.getIndexType(), value);
}

Value WhileUplifter::addConstant(Value value, int64_t number) {
  if (number == 0)
    return value;
  return b.createOrFold<arith::AddIOp>(
      loc, value, arith::ConstantIndexOp::create(b, loc, number));
}

/// Returns true if a number that is compared to the limit by `ne` becomes equal
/// to it at some time, after all values between.
bool WhileUplifter::reachesExactly(const Counter &counter, Value start,
                                   Value limit) {
  Value low = counter.step > 0 ? start : limit;
  Value high = counter.step > 0 ? limit : start;
  std::optional<int64_t> lowest = getConstantIntValue(low),
                         highest = getConstantIntValue(high);
  if (lowest && highest)
    return *lowest <= *highest && (*highest - *lowest) % counter.step == 0;
  return std::abs(counter.step) == 1 && lowest && isAtLeast(high, *lowest);
}

/// Returns true if the comparison is true at the limit.
static bool isClosed(Predicate predicate) {
  return predicate == Predicate::sle || predicate == Predicate::ule ||
         predicate == Predicate::sge;
}

/// Returns true if `limit` is the last number of its type in the direction of
/// `predicate`, so that the comparison is always true.
static bool isLast(Value limit, Predicate predicate) {
  APInt number;
  if (!matchPattern(limit, m_ConstantInt(&number)))
    return false;
  return predicate == Predicate::sge   ? number.isMinSignedValue()
         : predicate == Predicate::sle ? number.isMaxSignedValue()
                                       : number.isMaxValue();
}

/// Emits the counts before each of which the comparison is true; nullopt if
/// there are none.
std::optional<Counts> WhileUplifter::emitCounts(const Counter &counter) {
  Predicate predicate = counter.predicate;
  Value init = loop.getInits()[counter.number.position];
  std::optional<int64_t> first = getConstantIntegerValue(init);
  // Adding to an unsigned number may wrap around.
  if (isUnsigned(predicate) &&
      (!first || *first < 0 || *first + counter.number.offset < 0))
    return std::nullopt;
  Value start =
      addConstant(emitIndex(init, /*isSigned=*/true), counter.number.offset);
  Value limit = emitIndex(emitInvariant(counter.limit), !isUnsigned(predicate));
  if (predicate == Predicate::ne && !reachesExactly(counter, start, limit))
    return std::nullopt;
  if (isClosed(predicate) && isLast(counter.limit, predicate))
    return std::nullopt;

  Counts counts;
  counts.begin = start;
  counts.end = limit;
  if (counter.step < 0) {
    counts.descendsFrom = start;
    counts.begin = arith::ConstantIndexOp::create(b, loc, 0);
    counts.end = b.createOrFold<arith::SubIOp>(loc, start, limit);
  }
  if (isClosed(predicate))
    counts.end = addConstant(counts.end, 1);
  counts.step = arith::ConstantIndexOp::create(b, loc, std::abs(counter.step));
  return counts;
}

/// Emits one iteration after the loop forwarded `passed`; returns the
/// condition, followed by the values that the loop then forwards.
SmallVector<Value> WhileUplifter::emitIteration(OpBuilder &at,
                                                ValueRange passed) {
  SmallVector<Value> carried = cloneBlock(at, *after, passed);
  return cloneBlock(at, *before, carried);
}

void WhileUplifter::emitLoop(const Counter &counter, const Counts &counts,
                             bool mayEndEarly) {
  SmallVector<Value> first = cloneBlock(b, *before, loop.getInits());
  ArrayRef<Value> passed = ArrayRef(first).drop_front();
  // Invariants are not carried.
  SmallVector<unsigned> changing;
  SmallVector<Value> inits;
  for (auto [i, value] : llvm::enumerate(condition.getArgs()))
    if (!isInvariant(value)) {
      changing.push_back(i);
      inits.push_back(passed[i]);
    }
  if (mayEndEarly)
    inits.push_back(first.front());
  auto counted =
      scf::ForOp::create(b, loc, counts.begin, counts.end, counts.step, inits);
  counted->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  OpBuilder in = inits.empty() ? OpBuilder(counted.getBody()->getTerminator())
                               : OpBuilder::atBlockEnd(counted.getBody());
  ValueRange arguments = counted.getRegionIterArgs();
  SmallVector<Value> given(passed), results(passed);
  for (auto [n, i] : llvm::enumerate(changing)) {
    given[i] = arguments[n];
    results[i] = counted.getResult(n);
  }
  Value number = counted.getInductionVar();
  if (counts.descendsFrom)
    number = arith::SubIOp::create(in, loc, counts.descendsFrom, number);
  for (unsigned i : changing) {
    // The induction variable is known without being carried.
    std::optional<Affine> traced =
        traceTo(condition.getArgs()[i], counter.number.position);
    if (!traced)
      continue;
    int64_t offset = traced->offset - counter.number.offset;
    Value value = number;
    if (offset != 0)
      value = arith::AddIOp::create(
          in, loc, value, arith::ConstantIndexOp::create(in, loc, offset));
    if (!given[i].getType().isIndex())
      value = arith::IndexCastOp::create(in, loc, given[i].getType(), value);
    given[i] = value;
  }

  auto select = [&](ArrayRef<Value> next) {
    SmallVector<Value> values =
        llvm::map_to_vector(changing, [&](unsigned i) { return next[i + 1]; });
    if (mayEndEarly)
      values.push_back(next.front());
    return values;
  };
  if (!mayEndEarly) {
    SmallVector<Value> next = select(emitIteration(in, given));
    if (!inits.empty())
      scf::YieldOp::create(in, loc, next);
  } else {
    auto branch = scf::IfOp::create(in, loc, TypeRange(ValueRange(inits)),
                                    arguments.back(), /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder taken = branch.getThenBodyBuilder();
    scf::YieldOp::create(taken, loc, select(emitIteration(taken, given)));
    OpBuilder other = branch.getElseBodyBuilder();
    scf::YieldOp::create(other, loc, arguments);
    scf::YieldOp::create(in, loc, branch.getResults());
  }
  loop->replaceAllUsesWith(results);
  loop->erase();
}

LogicalResult WhileUplifter::run() {
  unsigned numTerms = 0;
  std::optional<Counter> counter =
      findCounter(condition.getCondition(), numTerms);
  if (!counter)
    return failure();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  std::optional<Counts> counts = emitCounts(*counter);
  if (!counts)
    return failure();
  emitLoop(*counter, *counts, /*mayEndEarly=*/numTerms > 1);
  return success();
}

LogicalResult upliftWhileToFor(OpBuilder &builder, scf::WhileOp loop) {
  return WhileUplifter(builder, loop).run();
}

} // namespace flywheel
