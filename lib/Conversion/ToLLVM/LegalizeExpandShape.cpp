//===- LegalizeExpandShape.cpp - Groups of several dynamic dimension sizes
//--------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: buffers. After: no `memref.expand_shape` splits a dimension size into
// several dynamic ones, which `expand-strided-metadata` does not lower.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Conversion/ConversionPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LEGALIZEEXPANDSHAPE
#include "flywheel/Conversion/ConversionPasses.h.inc"
} // namespace flywheel

static bool hasSeveralDynamicDimSizes(memref::ExpandShapeOp op) {
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  return llvm::any_of(op.getReassociationIndices(), [&](auto &group) {
    return llvm::count_if(group, [&](int64_t dim) {
             return ShapedType::isDynamic(shape[dim]);
           }) > 1;
  });
}

static OpFoldResult multiply(OpBuilder &b, Location loc, OpFoldResult lhs,
                             OpFoldResult rhs) {
  std::optional<int64_t> left = getConstantIntValue(lhs),
                         right = getConstantIntValue(rhs);
  if (left && right)
    return b.getIndexAttr(*left * *right);
  Value product = arith::MulIOp::create(
      b, loc, getValueOrCreateConstantIndexOp(b, loc, lhs),
      getValueOrCreateConstantIndexOp(b, loc, rhs));
  return product;
}

/// Replaces `op` by the same bytes with sizes and strides of their own.
static void reinterpret(memref::ExpandShapeOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto source = memref::ExtractStridedMetadataOp::create(b, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> sourceStrides = source.getConstifiedMixedStrides();
  auto [known, offset] = op.getResultType().getStridesAndOffset();
  SmallVector<OpFoldResult> strides(sizes.size());
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult stride = sourceStrides[dim];
    for (int64_t inner : llvm::reverse(group)) {
      strides[inner] = stride;
      if (!ShapedType::isDynamic(known[inner]))
        strides[inner] = b.getIndexAttr(known[inner]);
      stride = multiply(b, loc, stride, sizes[inner]);
    }
  }
  OpFoldResult start = source.getConstifiedMixedOffset();
  if (!ShapedType::isDynamic(offset))
    start = b.getIndexAttr(offset);
  Value result = memref::ReinterpretCastOp::create(b, loc, op.getResultType(),
                                                   source.getBaseBuffer(),
                                                   start, sizes, strides);
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct LegalizeExpandShape
    : flywheel::impl::LegalizeExpandShapeBase<LegalizeExpandShape> {
  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> ops;
    getOperation().walk([&](memref::ExpandShapeOp op) {
      if (hasSeveralDynamicDimSizes(op))
        ops.push_back(op);
    });
    for (memref::ExpandShapeOp op : ops)
      reinterpret(op);
  }
};
} // namespace
