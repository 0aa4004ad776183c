//===- Widenings.cpp - Conversions of stored numbers ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Widenings.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Transforms/State/StateVersions.h"
#include "flywheel/Transforms/State/StoredNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace flywheel {

/// Returns true if the body of `op` is a conversion.
static bool isConversion(linalg::GenericOp op) {
  Block &body = *op.getBody();
  Operation &conversion = body.front();
  return body.getOperations().size() == 2 &&
         (isa<arith::TruncFOp>(conversion) || isWidening(&conversion)) &&
         conversion.getOperand(0) == body.getArgument(0) &&
         body.getTerminator()->getOperand(0) == conversion.getResult(0);
}

linalg::GenericOp getConversion(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  return mapsElements(op) && isConversion(op) &&
                 llvm::all_of(op.getIndexingMapsArray(),
                              [](AffineMap map) { return map.isIdentity(); })
             ? op
             : linalg::GenericOp();
}

bool widensStored(linalg::GenericOp conversion) {
  return !isa<arith::TruncFOp>(conversion.getBody()->front()) &&
         isStored(conversion.getDpsInputs()[0]);
}

bool canConvertAsItLoads(OpOperand &use) {
  auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
  return op && op.hasPureTensorSemantics() && op.isDpsInput(&use) &&
         !reusesInputs(op);
}

/// Returns the widenings of stored numbers that are the operands `moved` of an
/// op, and of one kind; none if there are others.
static SmallVector<linalg::GenericOp>
getWidenings(ArrayRef<OpOperand *> moved) {
  SmallVector<linalg::GenericOp> widenings;
  for (OpOperand *operand : moved) {
    linalg::GenericOp widening = getConversion(operand->get());
    if (!widening || !widensStored(widening) ||
        widening->getBlock() != operand->getOwner()->getBlock())
      return {};
    Operation &inner = widening.getBody()->front();
    if (!widenings.empty() &&
        (widenings.front().getBody()->front().getName() != inner.getName() ||
         getElementTypeOrSelf(widenings.front().getDpsInputs()[0]) !=
             getElementTypeOrSelf(widening.getDpsInputs()[0])))
      return {};
    widenings.push_back(widening);
  }
  return widenings;
}

/// Returns a copy of `op` that moves the operands of `widenings` instead of
/// their results.
static Operation *moveNarrow(RewriterBase &rewriter, Operation *op,
                             ArrayRef<OpOperand *> moved,
                             ArrayRef<linalg::GenericOp> widenings) {
  Type narrow = getElementTypeOrSelf(
      linalg::GenericOp(widenings.front()).getDpsInputs()[0]);
  Operation *copy = rewriter.clone(*op);
  for (auto [operand, widening] : llvm::zip(moved, widenings))
    copy->setOperand(operand->getOperandNumber(),
                     linalg::GenericOp(widening).getDpsInputs()[0]);
  if (auto structured = dyn_cast<DestinationStyleOpInterface>(copy)) {
    OpOperand &init = *structured.getDpsInitOperand(0);
    rewriter.setInsertionPoint(copy);
    init.set(tensor::EmptyOp::create(
        rewriter, op->getLoc(),
        tensor::getMixedSizes(rewriter, op->getLoc(), init.get()), narrow));
    rewriter.setInsertionPointAfter(copy);
  }
  if (auto linalg = dyn_cast<linalg::LinalgOp>(copy))
    for (BlockArgument element : linalg.getBlock()->getArguments())
      element.setType(narrow);
  auto type = cast<RankedTensorType>(copy->getResult(0).getType());
  copy->getResult(0).setType(type.clone(narrow));
  return copy;
}

/// Returns a widening of `value` of the kind and type of `widening`.
static linalg::GenericOp widen(RewriterBase &rewriter, Value value,
                               linalg::GenericOp widening) {
  auto type = cast<RankedTensorType>(value.getType());
  Location loc = widening.getLoc();
  Type wide = getElementTypeOrSelf(widening->getResult(0));
  Value init = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, value), wide);
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  return linalg::GenericOp::create(
      rewriter, loc, init.getType(), value, init, ArrayRef{map, map},
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &builder, Location loc, ValueRange elements) {
        Operation &inner = widening.getBody()->front();
        IRMapping mapping;
        mapping.map(inner.getOperand(0), elements[0]);
        linalg::YieldOp::create(builder, loc,
                                builder.clone(inner, mapping)->getResults());
      });
}

/// Returns the input of `op` that has as many elements as the result, stored in
/// few bits, which the body widens; null if there is none. The body may read
/// less of others, such as scales: with them it decodes weights.
static OpOperand *getDecoded(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 0 || op.hasIndexSemantics() ||
      !op.getIndexingMapsArray().back().isIdentity() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return nullptr;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  OpOperand *decoded = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    if (!type || !type.hasStaticShape() || !result.hasStaticShape())
      return nullptr;
    if (type.getNumElements() < result.getNumElements())
      continue;
    if (decoded || !getWideningOf(op.getMatchingBlockArgument(input)) ||
        !isStored(input->get()))
      return nullptr;
    decoded = input;
  }
  return decoded;
}

/// Returns true if only contractions in the block of `op` read its result or
/// views of it.
static bool isForContractions(Operation *op) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    if (user->getBlock() != op->getBlock())
      return false;
    auto reader = dyn_cast<linalg::LinalgOp>(user);
    return reader ? reusesInputs(reader) || sumsReusedInputs(reader)
                  : isView(user) && isForContractions(user);
  });
}

/// Computes the transposed result of a decoder of weights in the order in which
/// contractions read it.
static void decodeTransposed(RewriterBase &rewriter,
                             linalg::TransposeOp transposition) {
  auto op = transposition.getInput().getDefiningOp<linalg::GenericOp>();
  if (!op || !transposition.hasPureTensorSemantics() ||
      op->getBlock() != transposition->getBlock() || !getDecoded(op) ||
      !isForContractions(transposition))
    return;
  ArrayRef<int64_t> permutation = transposition.getPermutation();
  SmallVector<AffineExpr> loops(permutation.size());
  for (auto [loop, old] : llvm::enumerate(permutation))
    loops[old] = rewriter.getAffineDimExpr(loop);
  auto order = AffineMap::get(loops.size(), 0, loops, rewriter.getContext());
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input).compose(order));
  maps.push_back(rewriter.getMultiDimIdentityMap(loops.size()));
  rewriter.setInsertionPoint(transposition);
  auto decoder = linalg::GenericOp::create(
      rewriter, op.getLoc(), transposition->getResultTypes(), op.getDpsInputs(),
      transposition.getInit(), maps, op.getIteratorTypesArray());
  IRMapping mapping;
  op.getRegion().cloneInto(&decoder.getRegion(), mapping);
  rewriter.replaceOp(transposition, decoder);
}

/// Computes the order in which `op`, a decoder, reads weights that it widens
/// for contractions by an op of its own, which copies narrow numbers. The
/// elements that a contraction decodes as it needs them are neighbours then.
static void splitTransposition(RewriterBase &rewriter, linalg::GenericOp op) {
  OpOperand *decoded = getDecoded(op);
  if (!decoded || op.getMatchingIndexingMap(decoded).isIdentity() ||
      !isForContractions(op))
    return;
  rewriter.setInsertionPoint(op);
  Value source = decoded->get(), init = op.getDpsInits()[0];
  Value empty = tensor::EmptyOp::create(
      rewriter, op.getLoc(), tensor::getMixedSizes(rewriter, op.getLoc(), init),
      getElementTypeOrSelf(source));
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned number = decoded->getOperandNumber();
  auto copy = linalg::GenericOp::create(
      rewriter, op.getLoc(), empty.getType(), source, empty,
      ArrayRef{maps[number], maps.back()}, op.getIteratorTypesArray(),
      [](OpBuilder &builder, Location loc, ValueRange elements) {
        linalg::YieldOp::create(builder, loc, elements[0]);
      });
  maps[number] = maps.back();
  rewriter.modifyOpInPlace(op, [&] {
    op->setOperand(number, copy->getResult(0));
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}

void moveWidenings(RewriterBase &rewriter, func::FuncOp function) {
  function.walk(
      [&](linalg::TransposeOp op) { decodeTransposed(rewriter, op); });
  function.walk(
      [&](linalg::GenericOp op) { splitTransposition(rewriter, op); });
  SmallVector<linalg::GenericOp> work;
  function.walk([&](linalg::GenericOp op) {
    if (getConversion(op->getResult(0)) == op && widensStored(op))
      work.push_back(op);
  });
  while (!work.empty()) {
    linalg::GenericOp widening = work.pop_back_val();
    auto needsNoOrder = [&](OpOperand &use) {
      return isa<linalg::LinalgOp>(use.getOwner()) ||
             llvm::is_contained(getMoved(use.getOwner()), &use);
    };
    if (!llvm::all_of(widening->getUses(), needsNoOrder))
      continue;
    llvm::SetVector<Operation *> users(widening->user_begin(),
                                       widening->user_end());
    for (Operation *user : users) {
      SmallVector<OpOperand *> moved = getMoved(user);
      SmallVector<linalg::GenericOp> widenings = getWidenings(moved);
      if (widenings.empty() || !llvm::is_contained(widenings, widening))
        continue;
      rewriter.setInsertionPointAfter(user);
      Operation *copy = moveNarrow(rewriter, user, moved, widenings);
      rewriter.setInsertionPointAfter(copy);
      work.push_back(widen(rewriter, copy->getResult(0), widening));
      rewriter.replaceOp(user, work.back());
    }
  }
  function.walk([&](linalg::GenericOp op) {
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  });
}

} // namespace flywheel
