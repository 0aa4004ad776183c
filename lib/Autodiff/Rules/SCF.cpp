//===- SCF.cpp - Derivative rules of structured control flow --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of a branch is a branch on the same condition, which computes its
// body again from the values that it captures. That of a loop is in ForVjp.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "ForVjp.h"

#include "flywheel/Autodiff/InlineRegion.h"
#include "flywheel/Autodiff/ReverseSweep.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Effects.h"

using namespace mlir;

namespace flywheel {

/// Fails where computing the regions of `op` again is not the same.
static LogicalResult checkRecomputable(Operation *op) {
  Operation *effect = nullptr;
  op->walk([&](Operation *inner) {
    if (inner != op && !inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
        !isRecomputable(inner))
      effect = inner;
  });
  if (!effect)
    return success();
  return effect->emitOpError()
         << "expected ops without side effects inside of '" << op->getName()
         << "' to differentiate it";
}

SmallVector<std::pair<Value, unsigned>>
getNeededCaptures(Operation *op, ArrayRef<bool> needed) {
  SmallVector<std::pair<Value, unsigned>> result;
  unsigned input = op->getNumOperands();
  for (Value capture : getDifferentiableCaptures(op)) {
    if (needed[input])
      result.emplace_back(capture, input);
    ++input;
  }
  return result;
}

namespace {
struct IfModel : DifferentiableOpInterface::ExternalModel<IfModel, scf::IfOp> {
  bool differentiatesCaptures(Operation *) const { return true; }

  LogicalResult emitVjp(Operation *op, OpBuilder &b, ArrayRef<Value> results,
                        ArrayRef<bool> needed,
                        MutableArrayRef<Value> inputs) const {
    if (failed(checkRecomputable(op)))
      return failure();
    auto branch = cast<scf::IfOp>(op);
    SmallVector<Value> xs;
    SmallVector<unsigned> positions;
    for (auto [capture, input] : getNeededCaptures(op, needed)) {
      xs.push_back(capture);
      positions.push_back(input);
    }
    auto reverse = scf::IfOp::create(b, op->getLoc(), TypeRange(ValueRange(xs)),
                                     branch.getCondition(),
                                     /*addThenBlock=*/true,
                                     /*addElseBlock=*/true);
    if (failed(emitRegion(*branch.thenBlock(), *reverse.thenBlock(), results,
                          xs)) ||
        failed(
            emitRegion(*branch.elseBlock(), *reverse.elseBlock(), results, xs)))
      return failure();
    for (auto [position, cotangent] :
         llvm::zip_equal(positions, reverse.getResults()))
      inputs[position] = cotangent;
    return success();
  }

  /// Fills `to` with `from` and its reverse.
  static LogicalResult emitRegion(Block &from, Block &to,
                                  ArrayRef<Value> results, ValueRange xs) {
    OpBuilder b = OpBuilder::atBlockEnd(&to);
    SmallVector<Value> ys = cloneBlock(b, from, {});
    Location loc = from.getTerminator()->getLoc();
    ReverseSweep sweep(b, ys, xs, &to);
    for (auto [y, cotangent] : llvm::zip_equal(ys, results))
      if (cotangent && sweep.isActive(y))
        sweep.accumulate(loc, y, cotangent);
    if (failed(sweep.run()))
      return failure();
    SmallVector<Value> cotangents;
    for (Value x : xs) {
      Value cotangent = sweep.getCotangent(x);
      cotangents.push_back(cotangent ? cotangent
                                     : nn::buildSplat(b, loc, x, 0.0));
    }
    scf::YieldOp::create(b, loc, cotangents);
    eraseDeadOps(to);
    return success();
  }
};

struct ForModel
    : DifferentiableOpInterface::ExternalModel<ForModel, scf::ForOp> {
  bool differentiatesCaptures(Operation *) const { return true; }

  LogicalResult emitVjp(Operation *op, OpBuilder &b, ArrayRef<Value> results,
                        ArrayRef<bool> needed,
                        MutableArrayRef<Value> inputs) const {
    if (failed(checkRecomputable(op)))
      return failure();
    return emitForVjp(cast<scf::ForOp>(op), b, results, needed, inputs);
  }
};
} // namespace

ArrayRef<DerivativeRule> getSCFRules() {
  static const DerivativeRule rules[] = {
      structured<scf::ForOp, ForModel>(),
      structured<scf::IfOp, IfModel>(),
  };
  return rules;
}

} // namespace flywheel
