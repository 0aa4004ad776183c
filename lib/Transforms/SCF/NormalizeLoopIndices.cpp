//===- NormalizeLoopIndices.cpp - Loops over integers as loops over indices
//---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: any `scf.for`. After: each counts with a signed index. An integer of
// fewer than 64 bits and its bounds are widened, so that nothing overflows
// (upstream's folds compute trip counts in the type of the loop); an unsigned
// loop of 64 bits counts from 0, after a check of its step. Refuses wider
// integers, and constant steps that never end.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/SCF/SCFPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using flywheel::linalg_ext::CheckKind;
using flywheel::linalg_ext::createCheck;

namespace flywheel {
#define GEN_PASS_DEF_NORMALIZELOOPINDICES
#include "flywheel/Transforms/SCF/SCFPasses.h.inc"
} // namespace flywheel

/// Casts `number`, of the type of a loop, to an index.
static Value toIndex(OpBuilder &b, Location loc, Value number,
                     bool isUnsigned) {
  if (number.getType().isIndex())
    return number;
  if (isUnsigned)
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), number);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
}

/// Replaces `loop` by one over `lower` to `upper` by `step`, whose body gets
/// the induction variable that `emitInduction` makes of the new one.
static void replaceLoop(scf::ForOp loop, Value lower, Value upper, Value step,
                        function_ref<Value(OpBuilder &, Value)> emitInduction) {
  OpBuilder b(loop);
  auto indexed = scf::ForOp::create(b, loop.getLoc(), lower, upper, step,
                                    loop.getInitArgs());
  indexed->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *from = loop.getBody(), *to = indexed.getBody();
  if (!to->empty())
    to->back().erase();
  b.setInsertionPointToStart(to);
  SmallVector<Value> arguments = {emitInduction(b, indexed.getInductionVar())};
  llvm::append_range(arguments, indexed.getRegionIterArgs());
  for (auto [old, value] : llvm::zip_equal(from->getArguments(), arguments))
    old.replaceAllUsesWith(value);
  to->getOperations().splice(to->end(), from->getOperations());
  loop->replaceAllUsesWith(indexed.getResults());
  loop->erase();
}

/// Refuses constants that `loop` would go on for ever with, or, counting down,
/// end at once.
static LogicalResult verifyStep(scf::ForOp loop) {
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      (loop.getUnsignedCmp() ? !step.isZero() : step.isStrictlyPositive()))
    return success();
  SmallString<16> found;
  step.toString(found, 10, /*Signed=*/!loop.getUnsignedCmp());
  return loop.emitOpError() << "expected a step of 1 or more, found " << found;
}

/// Checks that the step of `loop`, which counts without a sign, is not zero.
/// Returns one that never is: the check may come behind the loop.
static Value checkUnsignedStep(OpBuilder &b, scf::ForOp loop) {
  Value step = loop.getStep();
  if (matchPattern(step, m_Constant()))
    return step;
  Location loc = loop.getLoc();
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(step.getType()));
  Value one =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(step.getType(), 1));
  Value ok =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, step, zero);
  createCheck(b, loop, CheckKind::data, ok,
              "expected a step of 1 or more, found 0")
      .setSafe(!isa<func::FuncOp>(loop->getParentOp()));
  return arith::MaxUIOp::create(b, loc, step, one);
}

static LogicalResult indexLoop(scf::ForOp loop) {
  Type type = loop.getInductionVar().getType();
  bool isUnsigned = loop.getUnsignedCmp();
  unsigned bits = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                 : type.getIntOrFloatBitWidth();
  if (bits > 64)
    return loop.emitOpError()
           << "expected an index or an integer of at most 64 bits to count, "
              "found "
           << type;
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(),
        step = loop.getStep();
  if (!isUnsigned || bits < 64) {
    replaceLoop(loop, toIndex(b, loc, lower, isUnsigned),
                toIndex(b, loc, upper, isUnsigned),
                toIndex(b, loc, step, isUnsigned),
                [&](OpBuilder &in, Value index) -> Value {
                  return type.isIndex()
                             ? index
                             : arith::IndexCastOp::create(in, loc, type, index);
                });
    return success();
  }

  step = checkUnsignedStep(b, loop);
  // The unsigned difference is correct if `upper` is the larger number.
  Value runs =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lower, upper);
  Value count = arith::CeilDivUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, upper, lower), step);
  Value none = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, 0));
  count = arith::SelectOp::create(b, loc, runs, count, none);
  replaceLoop(
      loop, arith::ConstantIndexOp::create(b, loc, 0),
      toIndex(b, loc, count, isUnsigned),
      arith::ConstantIndexOp::create(b, loc, 1),
      [&](OpBuilder &in, Value index) -> Value {
        Value position = type.isIndex()
                             ? index
                             : arith::IndexCastOp::create(in, loc, type, index);
        return arith::AddIOp::create(
            in, loc, lower, arith::MulIOp::create(in, loc, position, step));
      });
  return success();
}

/// With a larger step, the next position may wrap around to before the end.
constexpr int64_t kLongStep = int64_t(1) << 31;

/// Makes a loop of a long constant step count its iterations.
static void countIterations(scf::ForOp loop) {
  std::optional<int64_t> number = getConstantIntValue(loop.getStep());
  if (!number || *number <= kLongStep)
    return;
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(),
        step = loop.getStep();
  Value none = arith::ConstantIndexOp::create(b, loc, 0);
  Value runs =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lower, upper);
  // The unsigned difference is correct if the loop runs at all.
  Value count = arith::CeilDivUIOp::create(
      b, loc, arith::SubIOp::create(b, loc, upper, lower), step);
  count = arith::SelectOp::create(b, loc, runs, count, none);
  replaceLoop(loop, none, count, arith::ConstantIndexOp::create(b, loc, 1),
              [&](OpBuilder &in, Value index) -> Value {
                return arith::AddIOp::create(
                    in, loc, lower,
                    arith::MulIOp::create(in, loc, index, step));
              });
}

namespace flywheel {
namespace {
struct NormalizeLoopIndices
    : impl::NormalizeLoopIndicesBase<NormalizeLoopIndices> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    bool isValid = true;
    getOperation().walk([&](scf::ForOp loop) {
      isValid &= succeeded(verifyStep(loop));
      if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp())
        loops.push_back(loop);
    });
    if (!isValid)
      return signalPassFailure();
    for (scf::ForOp loop : loops)
      if (failed(indexLoop(loop)))
        return signalPassFailure();
    // Inner loops come first.
    getOperation().walk(countIterations);
  }
};
} // namespace
} // namespace flywheel
