//===- WidenTiles.cpp - Narrow numbers that wider ones are made of --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WidenTiles.h"

#include "FMASchedule.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace flywheel {

/// The assumed size of a dynamic dimension.
static constexpr int64_t kTypicalSize = 64;
/// The least ratio of the inputs of a product to a widened panel.
static constexpr int64_t kPanelPart = 4;
/// The bytes of a widened panel that no machine lacks.
static constexpr int64_t kSmallPanelBytes = 8192;

linalg::GenericOp generalizeOp(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
    return generic;
  DictionaryAttr attributes = op->getDiscardableAttrDictionary();
  linalg::GenericOp generic = *linalg::generalizeNamedOp(rewriter, op);
  generic->setDiscardableAttrs(attributes);
  return generic;
}

/// Applies `conversion`, which is in the body of `op`, to the whole tile
/// `input`, before `op`. Returns the result.
static Value convertTile(RewriterBase &rewriter, linalg::LinalgOp op,
                         OpOperand &input, Operation &conversion) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value tile = input.get();
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, tile),
      conversion.getResult(0).getType());
  int64_t rank = cast<RankedTensorType>(tile.getType()).getRank();
  SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto converted = linalg::GenericOp::create(
      rewriter, loc, TypeRange{empty.getType()}, ValueRange{tile},
      ValueRange{empty}, maps, iterators,
      [&](OpBuilder &b, Location nested, ValueRange elements) {
        IRMapping mapping;
        mapping.map(conversion.getOperand(0), elements[0]);
        Operation *copy = b.clone(conversion, mapping);
        linalg::YieldOp::create(b, nested, copy->getResults());
      });
  return converted.getResult(0);
}

void splitConversion(RewriterBase &rewriter, linalg::LinalgOp op,
                     OpOperand *input) {
  BlockArgument element = op.getMatchingBlockArgument(input);
  Operation *conversion = getNarrowingOf(element);
  if (!conversion)
    return;
  Type narrow = conversion->getResult(0).getType();
  Value converted = convertTile(rewriter, op, *input, *conversion);
  rewriter.modifyOpInPlace(op, [&] {
    input->set(converted);
    element.setType(narrow);
  });
  rewriter.replaceOp(conversion, element);
}

/// Returns the bytes of `operand`, with elements of `element`.
static CheckedSize estimateBytes(linalg::LinalgOp op, OpOperand *operand,
                                 Type element) {
  CheckedSize bytes = getElementBytes(element);
  for (int64_t dimSize : op.getShape(operand))
    bytes *= ShapedType::isDynamic(dimSize) ? kTypicalSize : dimSize;
  return bytes;
}

/// Returns the bytes of the part of B that tiles of the first level of
/// `schedule` read, once it is widened.
static CheckedSize estimatePanel(linalg::LinalgOp op,
                                 codegen::FMAAttr schedule) {
  OpOperand *b = getFactors(op, schedule.getColumns()).second;
  ArrayRef<int64_t> tiles = schedule.getTiles().front().asArrayRef();
  SmallVector<int64_t> loops = op.getStaticLoopRanges();
  CheckedSize panel =
      getElementBytes(getElementTypeOrSelf(op.getDpsInitOperand(0)->get()));
  for (AffineExpr expr : op.getMatchingIndexingMap(b).getResults())
    for (unsigned loop = 0; loop < loops.size(); ++loop)
      if (expr.isFunctionOfDim(loop)) {
        int64_t size = tiles[loop] ? tiles[loop] : loops[loop];
        panel *= ShapedType::isDynamic(size) ? kTypicalSize : size;
      }
  return panel;
}

bool widensPanel(linalg::LinalgOp op, codegen::FMAAttr schedule) {
  CheckedSize bytes = 0;
  for (OpOperand *input : op.getDpsInputOperands())
    bytes += estimateBytes(op, input, getElementTypeOrSelf(input->get()));
  return (estimatePanel(op, schedule) * kPanelPart).getSaturated() <=
         bytes.getSaturated();
}

bool widensMostOfPanel(linalg::LinalgOp op, codegen::FMAAttr schedule) {
  OpOperand *b = getFactors(op, schedule.getColumns()).second;
  if (!getWideningOf(op.getMatchingBlockArgument(b)))
    return false;
  CheckedSize wide = estimateBytes(
      op, b, getElementTypeOrSelf(op.getDpsInitOperand(0)->get()));
  CheckedSize panel = estimatePanel(op, schedule);
  return panel.getSaturated() > kSmallPanelBytes &&
         (panel * kPanelPart).getSaturated() > wide.getSaturated();
}

linalg::LinalgOp widenTile(RewriterBase &rewriter, linalg::LinalgOp op,
                           unsigned number) {
  BlockArgument element = op.getBlock()->getArgument(number);
  if (!getWideningOf(element))
    return op;
  rewriter.setInsertionPoint(op);
  linalg::GenericOp generic = generalizeOp(rewriter, op);
  element = generic.getBody()->getArgument(number);
  Operation *widening = getWideningOf(element);
  Value widened =
      convertTile(rewriter, generic, generic->getOpOperand(number), *widening);
  rewriter.modifyOpInPlace(generic, [&] {
    generic->setOperand(number, widened);
    element.setType(widening->getResult(0).getType());
  });
  rewriter.replaceOp(widening, element);
  return cast<linalg::LinalgOp>(generic.getOperation());
}

} // namespace flywheel
