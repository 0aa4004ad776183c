//===- CheckCarriedDimSizes.cpp - The flywheel-check-carried-dim-sizes pass
//--===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: tensors of dynamic dimension sizes are captured, carried and yielded
// by branches and loops. After: the results of an `scf.if`, and the values that
// an `scf.for` or `scf.while` carries, have the dimension sizes of the values
// that they replace; a `linalg_ext.check` checks sizes that cannot be proved
// equal. Refuses branches whose dimension sizes cannot be computed before them.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using flywheel::linalg_ext::CompareSizesOp;
using flywheel::linalg_ext::getDimSizeRoot;
using flywheel::linalg_ext::NamedNumbers;
using flywheel::linalg_ext::SizePredicate;

namespace flywheel {
#define GEN_PASS_DEF_CHECKCARRIEDDIMSIZES
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

/// Calls `visit` for each dimension in which `a` and `b` are not seen to agree.
static void forEachDifference(ValueRange as, ValueRange bs,
                              function_ref<void(Value, Value, int64_t)> visit) {
  for (auto [a, b] : llvm::zip(as, bs)) {
    auto type = dyn_cast<RankedTensorType>(a.getType());
    if (!type)
      continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (!(getDimSizeRoot(a, dim) == getDimSizeRoot(b, dim)))
        visit(a, b, dim);
  }
}

/// Checks at the end of the body of `loop` that an iteration keeps the
/// dimension sizes of the values that it carries.
static void checkLoop(LoopLikeOpInterface loop) {
  std::optional<MutableArrayRef<OpOperand>> yielded =
      loop.getYieldedValuesMutable();
  if (!yielded || yielded->empty())
    return;
  OpBuilder outside(loop), b(yielded->front().getOwner());
  Location loc = loop->getLoc();
  auto check = [&](Value after, Value before, int64_t dim) {
    Value size = tensor::DimOp::create(b, loc, after, dim),
          kept = tensor::DimOp::create(outside, loc, before, dim);
    Value ok = CompareSizesOp::create(b, loc, SizePredicate::eq, size, kept);
    NamedNumbers numbers;
    std::string found = numbers.add(size) + " behind it and ";
    found += numbers.add(kept) + " in front";
    flywheel::linalg_ext::createDimSizeCheck(
        b, loop, ok,
        "expected an iteration to keep dimension sizes, found another one of "
        "dimension " +
            Twine(dim) + ": " + found,
        "", numbers);
  };
  forEachDifference(loop.getYieldedValues(), loop.getInits(), check);
}

/// Checks before `branch` that its results have the same dimension sizes in
/// both regions.
static LogicalResult checkBranch(scf::IfOp branch) {
  if (branch.getNumResults() == 0)
    return success();
  OpBuilder b(branch);
  Location loc = branch.getLoc();
  LogicalResult result = success();
  auto check = [&](Value taken, Value other, int64_t dim) {
    Value one =
        flywheel::linalg_ext::getDimSizeInFrontOf(b, branch, taken, dim);
    Value two =
        flywheel::linalg_ext::getDimSizeInFrontOf(b, branch, other, dim);
    if (!one || !two) {
      result =
          branch.emitOpError()
          << "expected branches whose results have the same dimension sizes, "
             "found tensors of which dimension "
          << dim << " is not known in front of it";
      return;
    }
    Value ok = CompareSizesOp::create(b, loc, SizePredicate::eq, one, two);
    NamedNumbers numbers;
    std::string found = numbers.add(one) + " and ";
    found += numbers.add(two);
    flywheel::linalg_ext::createDimSizeCheck(
        b, branch, ok,
        "expected equal sizes of dimension " + Twine(dim) +
            " in both branches, found " + found,
        "", numbers);
  };
  forEachDifference(branch.thenYield().getResults(),
                    branch.elseYield().getResults(), check);
  return result;
}

namespace {
struct CheckCarriedDimSizes
    : flywheel::impl::CheckCarriedDimSizesBase<CheckCarriedDimSizes> {
  void getDependentDialects(DialectRegistry &registry) const override {
    CheckCarriedDimSizesBase::getDependentDialects(registry);
    registry.insert<flywheel::linalg_ext::LinalgExtDialect>();
  }
  void runOnOperation() override {
    WalkResult checked = getOperation().walk([&](Operation *op) {
      if (auto branch = dyn_cast<scf::IfOp>(op))
        return WalkResult(checkBranch(branch));
      if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
        checkLoop(loop);
      return WalkResult::advance();
    });
    if (checked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
