//===- NarrowFactors.cpp - Products of numbers that were narrow -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: structured ops on tensors. After: batches of matrix products whose
// factors are f16 or bf16 that were extended to f32, like those of scores of
// attention, read the narrow numbers, and tensor cores multiply them. The
// products are the same numbers, as both factors are. If one of the factors was
// then multiplied by a constant, as queries are, each use of a sum is
// multiplied by it instead: that rounds elsewhere, and with factors of bf16,
// sums that a scale below 1 would have kept in the range of f32 may be
// infinite.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Codegen/GPU/GPUPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_NARROWFACTORS
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

namespace {
/// A factor that was narrow: `number`, in the body of `producer`, extended, and
/// multiplied by `scale` if that is not null.
struct NarrowFactor {
  linalg::GenericOp producer;
  Value number;
  Value scale;
};

struct NarrowFactors : flywheel::impl::NarrowFactorsBase<NarrowFactors> {
  void runOnOperation() override;

private:
  bool narrow(linalg::LinalgOp op);
  Value getNarrow(const NarrowFactor &factor);

  /// The tensor with the narrow numbers of each wide tensor.
  llvm::DenseMap<Value, Value> narrowOf;
};
} // namespace

static std::optional<NarrowFactor> findNarrow(Value wide) {
  auto producer = wide.getDefiningOp<linalg::GenericOp>();
  if (!producer || producer->getNumResults() != 1 ||
      producer.getNumParallelLoops() != producer.getNumLoops())
    return std::nullopt;
  Value number = producer.getBlock()->getTerminator()->getOperand(0);
  NarrowFactor factor{producer, number, Value()};
  if (auto product = number.getDefiningOp<arith::MulFOp>())
    for (bool isSecond : {false, true})
      if (matchPattern(product->getOperand(isSecond), m_Constant())) {
        factor.scale = product->getOperand(isSecond);
        number = product->getOperand(!isSecond);
      }
  auto extension = number.getDefiningOp<arith::ExtFOp>();
  if (!extension || extension->getBlock() != producer.getBlock() ||
      (factor.scale && factor.scale.getParentBlock() == producer.getBlock()))
    return std::nullopt;
  factor.number = extension.getIn();
  Type type = factor.number.getType();
  if (!type.isF16() && !type.isBF16())
    return std::nullopt;
  return factor;
}

/// Returns a tensor of the narrow numbers of `factor`, inserted after the wide
/// ones.
Value NarrowFactors::getNarrow(const NarrowFactor &factor) {
  linalg::GenericOp producer = factor.producer;
  Value &known = narrowOf[producer.getResult(0)];
  if (known)
    return known;
  // If the op only widens its input, that input is the narrow tensor.
  OpOperand *out = producer.getDpsInitOperand(0);
  for (OpOperand *input : producer.getDpsInputOperands())
    if (producer.getMatchingBlockArgument(input) == factor.number &&
        producer.getMatchingIndexingMap(input) ==
            producer.getMatchingIndexingMap(out) &&
        cast<ShapedType>(input->get().getType()).getShape() ==
            cast<ShapedType>(out->get().getType()).getShape())
      return known = input->get();
  OpBuilder b(producer->getContext());
  b.setInsertionPointAfter(producer);
  Location loc = producer.getLoc();
  Type element = factor.number.getType();
  auto type = cast<RankedTensorType>(producer.getResult(0).getType());
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, producer.getResult(0)), element);
  auto narrow = linalg::GenericOp::create(
      b, loc, type.clone(element), SmallVector<Value>(producer.getInputs()),
      init, producer.getIndexingMapsArray(), producer.getIteratorTypesArray());
  IRMapping mapping;
  producer.getRegion().cloneInto(&narrow.getRegion(), mapping);
  Block *body = narrow.getBlock();
  Operation *yield = body->getTerminator();
  yield->setOperand(0, mapping.lookup(factor.number));
  body->getArguments().back().setType(element);
  // Erases the unused ops that widened and scaled the number.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (&op != yield && isOpTriviallyDead(&op))
      op.erase();
  return known = narrow.getResult(0);
}

/// Returns true if `op` is a batch of matrix products with sums of f32.
static bool isBatched(linalg::LinalgOp op) {
  if (!flywheel::isContraction(op) || op->getNumResults() != 1 ||
      !getElementTypeOrSelf(op->getResult(0)).isF32())
    return false;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return llvm::any_of(maps.back().getResults(), [&](AffineExpr expr) {
    return llvm::all_of(ArrayRef(maps).drop_back(), [&](AffineMap map) {
      return llvm::is_contained(map.getResults(), expr);
    });
  });
}

/// Returns true if the sums of `op` start from 0: another initial value would
/// not be scaled.
static bool sumsFromZero(linalg::LinalgOp op) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

/// Returns true if the result of `op` is only read, by ops that have a block
/// argument for an element of it. A contraction that multiplies more than its
/// two factors has no kernel.
static bool canScaleUses(linalg::LinalgOp op) {
  return llvm::all_of(op->getResult(0).getUses(), [](OpOperand &use) {
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    return user && user.isDpsInput(&use) && !flywheel::isContraction(user);
  });
}

/// Makes `op` read the narrow factors; returns false if it has none.
bool NarrowFactors::narrow(linalg::LinalgOp op) {
  if (!isBatched(op))
    return false;
  SmallVector<NarrowFactor, 2> factors;
  SmallVector<Value, 2> scales;
  for (Value input : op.getDpsInputs()) {
    std::optional<NarrowFactor> factor = findNarrow(input);
    if (!factor || (!factors.empty() && factors.front().number.getType() !=
                                            factor->number.getType()))
      return false;
    factors.push_back(*factor);
    if (factor->scale)
      scales.push_back(factor->scale);
  }
  if (scales.size() > 1 ||
      (!scales.empty() && (!sumsFromZero(op) || !canScaleUses(op))))
    return false;
  SmallVector<Value> inputs;
  for (const NarrowFactor &factor : factors)
    inputs.push_back(getNarrow(factor));
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto product = linalg::GenericOp::create(
      b, loc, op->getResultTypes(), inputs,
      SmallVector<Value>(op.getDpsInits()), op.getIndexingMapsArray(),
      op.getIteratorTypesArray(),
      [](OpBuilder &nested, Location at, ValueRange arguments) {
        Type sum = arguments[2].getType();
        Value lhs = arith::ExtFOp::create(nested, at, sum, arguments[0]);
        Value rhs = arith::ExtFOp::create(nested, at, sum, arguments[1]);
        Value next = arith::MulFOp::create(nested, at, lhs, rhs);
        next = arith::AddFOp::create(nested, at, arguments[2], next);
        linalg::YieldOp::create(nested, at, next);
      });
  op->replaceAllUsesWith(product);
  op->erase();
  if (scales.empty())
    return true;
  for (OpOperand &use : product.getResult(0).getUses()) {
    auto user = cast<linalg::GenericOp>(use.getOwner());
    BlockArgument element = user.getMatchingBlockArgument(&use);
    if (element.use_empty())
      continue;
    OpBuilder inner = OpBuilder::atBlockBegin(user.getBlock());
    Value scale = scales.front();
    auto scaled = arith::MulFOp::create(inner, user.getLoc(), element, scale);
    element.replaceAllUsesExcept(scaled, scaled);
  }
  return true;
}

void NarrowFactors::runOnOperation() {
  narrowOf.clear();
  SmallVector<linalg::LinalgOp> ops;
  getOperation().walk([&](linalg::LinalgOp op) {
    if (op.hasPureTensorSemantics())
      ops.push_back(op);
  });
  for (linalg::LinalgOp op : ops)
    numNarrowed += narrow(op);
}
