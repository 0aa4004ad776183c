//===- SCF.cpp - Derivative rules of structured control flow --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of a branch is a branch on the same condition. It recomputes its
// body from the values that the body captures, or from results of the branch
// that depend on these. ForVjp has the reverse of a loop.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "ForVjp.h"
#include "LoopCut.h"
#include "Recomputation.h"

#include "flywheel/Autodiff/ReverseSweep.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Effects.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

#include <array>

using namespace mlir;

namespace flywheel {

/// Fails if recomputing the regions of `op` would not give the same values.
/// Checks are not computed again.
static LogicalResult checkRecomputable(Operation *op) {
  Operation *effect = nullptr;
  op->walk([&](Operation *inner) {
    if (inner != op && !isa<linalg_ext::CheckOp>(inner) &&
        !inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
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
/// Emits the reverse of one branch.
class IfVjp {
public:
  IfVjp(scf::IfOp branch, OpBuilder &builder) : branch(branch), b(builder) {}

  LogicalResult run(ArrayRef<Value> resultCotangents, ArrayRef<bool> needed,
                    MutableArrayRef<Value> inputCotangents);

private:
  /// One of the two regions.
  struct Side {
    /// The reverse of its block.
    Block *reverse = nullptr;
    /// The block, which may compute more than that of the branch; see `ForVjp`.
    Block body;
    IRMapping copies;
    SmallVector<Value> outputs;
    /// Values of the reverse that the branch is to return.
    SmallVector<Value> parts;
    /// Their dimension sizes.
    SmallVector<SmallVector<OpFoldResult>> sizes;
  };

  LogicalResult emitSide(Block &from, Side &side, ArrayRef<Value> results,
                         ValueRange xs);
  void findParts(Side &side, const Recomputation &again);
  void returnParts();

  scf::IfOp branch;
  OpBuilder &b;
  std::array<Side, 2> sides;
};
} // namespace

/// Fills the reverse of `side`, whose block is `from`.
LogicalResult IfVjp::emitSide(Block &from, Side &side, ArrayRef<Value> results,
                              ValueRange xs) {
  OpBuilder in = OpBuilder::atBlockEnd(side.reverse);
  Recomputation again(in, from, {});
  SmallVector<Value> ys = again.getOutputs();
  Location loc = from.getTerminator()->getLoc();
  ReverseSweep sweep(in, ys, xs, side.reverse);
  for (auto [y, cotangent] : llvm::zip_equal(ys, results))
    if (cotangent && sweep.isActive(y))
      sweep.accumulate(loc, y, cotangent);
  if (failed(sweep.run()))
    return failure();
  SmallVector<Value> cotangents;
  for (Value x : xs) {
    Value cotangent = sweep.getCotangent(x);
    cotangents.push_back(cotangent ? cotangent
                                   : nn::buildSplat(in, loc, x, 0.0));
  }
  scf::YieldOp::create(in, loc, cotangents);
  side.outputs = again.finish(side.body, side.copies);
  eraseDeadOps(*side.reverse);
  findParts(side, again);
  return success();
}

/// Finds the values that the branch should return because its reverse only
/// needs parts of a tensor. In a loop that writes other parts to the tensor in
/// each iteration, the reverse would otherwise keep the whole tensor.
void IfVjp::findParts(Side &side, const Recomputation &again) {
  auto loop = branch->getParentOfType<scf::ForOp>();
  if (!loop)
    return;
  SetVector<Value> captures;
  getUsedValuesDefinedAbove(*side.reverse->getParent(), captures);
  OpBuilder before(branch);
  for (Value capture : captures) {
    if (!isa<RankedTensorType>(capture.getType()) ||
        loop.isDefinedOutsideOfLoop(capture))
      continue;
    for (Value part : findSmallerCut(capture, *side.reverse, again)
                          .value_or(SmallVector<Value>())) {
      std::optional<SmallVector<OpFoldResult>> sizes =
          findSizesOutside(before, branch.getLoc(), part, side.reverse, {}, {});
      if (!sizes || llvm::is_contained(side.parts, part))
        continue;
      side.parts.push_back(part);
      side.sizes.push_back(*sizes);
    }
  }
}

/// Replaces the branch by one that also returns the parts.
void IfVjp::returnParts() {
  SmallVector<Type> types(branch.getResultTypes());
  for (Side &side : sides)
    llvm::append_range(types, TypeRange(ValueRange(side.parts)));
  if (types.size() == branch.getNumResults())
    return;
  OpBuilder before(branch);
  Location loc = branch.getLoc();
  auto returning =
      scf::IfOp::create(before, loc, types, branch.getCondition(), true, true);
  for (auto [side, region] : llvm::zip_equal(sides, returning->getRegions())) {
    Block &block = region.front();
    block.getOperations().splice(block.end(), side.body.getOperations());
    OpBuilder in = OpBuilder::atBlockEnd(&block);
    SmallVector<Value> yielded = side.outputs;
    // The reverse reads the parts of the side that is taken alone.
    for (Side &from : sides)
      for (auto [part, sizes] : llvm::zip_equal(from.parts, from.sizes)) {
        if (&from == &side) {
          yielded.push_back(side.copies.lookup(part));
          continue;
        }
        Value like = part;
        if (isa<RankedTensorType>(part.getType()))
          like = nn::buildCast(in, loc,
                               tensor::EmptyOp::create(
                                   in, loc, sizes, getElementTypeOrSelf(part)),
                               part.getType());
        yielded.push_back(nn::buildSplat(in, loc, like, 0.0));
      }
    scf::YieldOp::create(in, loc, yielded);
  }
  unsigned next = branch.getNumResults();
  branch->replaceAllUsesWith(returning.getResults().take_front(next));
  eraseChecks(branch);
  for (Side &side : sides) {
    for (Value part : side.parts)
      part.replaceAllUsesWith(returning.getResult(next++));
    eraseDeadOps(*side.reverse);
  }
}

LogicalResult IfVjp::run(ArrayRef<Value> resultCotangents,
                         ArrayRef<bool> needed,
                         MutableArrayRef<Value> inputCotangents) {
  SmallVector<Value> xs;
  SmallVector<unsigned> positions;
  for (auto [capture, input] : getNeededCaptures(branch, needed)) {
    xs.push_back(capture);
    positions.push_back(input);
  }
  auto reverse = scf::IfOp::create(
      b, branch->getLoc(), TypeRange(ValueRange(xs)), branch.getCondition(),
      /*addThenBlock=*/true,
      /*addElseBlock=*/true);
  for (auto [side, from, to] :
       llvm::zip_equal(sides, branch->getRegions(), reverse->getRegions())) {
    side.reverse = &to.front();
    if (failed(emitSide(from.front(), side, resultCotangents, xs)))
      return failure();
  }
  for (auto [position, cotangent] :
       llvm::zip_equal(positions, reverse.getResults()))
    inputCotangents[position] = cotangent;
  returnParts();
  return success();
}

namespace {
struct IfModel : DifferentiableOpInterface::ExternalModel<IfModel, scf::IfOp> {
  bool differentiatesCaptures(Operation *) const { return true; }

  LogicalResult emitVjp(Operation *op, OpBuilder &b, ArrayRef<Value> results,
                        ArrayRef<bool> needed,
                        MutableArrayRef<Value> inputs) const {
    if (failed(checkRecomputable(op)))
      return failure();
    return IfVjp(cast<scf::IfOp>(op), b).run(results, needed, inputs);
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
