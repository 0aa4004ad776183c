//===- ProductDerivative.cpp - The derivative of a product ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductDerivative.h"
#include "../IR/NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

/// Builds positions [begin, end) of `x` along `axis`.
static Value sliceAlong(OpBuilder &b, Location loc, Value x, int64_t axis,
                        int64_t begin, int64_t end) {
  int64_t rank = tensorOf(x).getRank();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      strides(rank, b.getIndexAttr(1)),
      sizes = tensor::getMixedSizes(b, loc, x);
  offsets[axis] = b.getIndexAttr(begin);
  sizes[axis] = b.getIndexAttr(end - begin);
  return tensor::ExtractSliceOp::create(b, loc, x, offsets, sizes, strides);
}

/// Returns the cotangent of x, given `dy`, that of its product along `axis`, of
/// static dimension size; `dy` has dimension size 1 there. One half of x is
/// multiplied by the other, and the resulting product is differentiated
/// recursively. There is no division, so that all derivatives are correct for
/// elements that are 0.
static Value deriveProductAlong(OpBuilder &b, Location loc, Value x,
                                int64_t axis, Value dy) {
  int64_t dimSize = tensorOf(x).getDimSize(axis), half = dimSize / 2;
  // A tensor without elements cannot be sliced.
  if (llvm::is_contained(tensorOf(x).getShape(), 0))
    return buildSplat(b, loc, x, 0.0);
  if (dimSize == 1)
    return buildCast(b, loc, dy, x.getType());
  Value left = sliceAlong(b, loc, x, axis, 0, half);
  Value right = sliceAlong(b, loc, x, axis, half, 2 * half);
  Value both = arith::MulFOp::create(b, loc, left, right);
  bool isOdd = dimSize % 2 == 1;
  if (isOdd)
    both = tensor::ConcatOp::create(
        b, loc, axis,
        {both, sliceAlong(b, loc, x, axis, dimSize - 1, dimSize)});
  Value d = deriveProductAlong(b, loc, both, axis, dy);
  Value dBoth = isOdd ? sliceAlong(b, loc, d, axis, 0, half) : d;
  SmallVector<Value> parts = {arith::MulFOp::create(b, loc, dBoth, right),
                              arith::MulFOp::create(b, loc, dBoth, left)};
  if (isOdd)
    parts.push_back(sliceAlong(b, loc, d, axis, half, half + 1));
  return buildCast(b, loc, tensor::ConcatOp::create(b, loc, axis, parts),
                   x.getType());
}

/// Emits the same for a dynamic dimension size: for each element, the product
/// of all, with the element itself replaced by 1.
static Value deriveLongProduct(OpBuilder &b, Location loc, Value x,
                               int64_t axis, Value dy) {
  RankedTensorType type = tensorOf(x);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, x);
  SmallVector<int64_t> shape(type.getShape());
  sizes.insert(sizes.begin() + axis, sizes[axis]);
  shape.insert(shape.begin() + axis, shape[axis]);
  // Dimension `axis` is the element, the next one the factors of its product.
  SmallVector<int64_t> factors = otherDims({axis}, type.getRank() + 1);
  Value like = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  Value all = BroadcastOp::create(b, loc, type.clone(shape), x, like, factors);
  auto number = [&](int64_t dim) -> Value {
    return IotaOp::create(b, loc, RankedTensorType::get(shape, b.getI64Type()),
                          like, dim);
  };
  Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      number(axis), number(axis + 1));
  Value others =
      arith::SelectOp::create(b, loc, isOwn, buildSplat(b, loc, all, 1.0), all);
  Value product = ReduceOp::create(b, loc, type, ReductionKind::prod, others,
                                   ArrayRef<int64_t>{axis + 1},
                                   /*keepdims=*/false);
  Value spread =
      buildBroadcast(b, loc, dy, identityDims(type.getRank()), product);
  return arith::MulFOp::create(b, loc, spread, product);
}

/// Returns `type` with dimension size 1 at each of `axes`.
static RankedTensorType reduceDims(RankedTensorType type,
                                   ArrayRef<int64_t> axes) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : axes)
    shape[axis] = 1;
  return type.clone(shape);
}

namespace {
/// The pieces of a concatenation and its dimension.
struct Joined {
  SmallVector<Value> pieces;
  uint64_t dim;
};
} // namespace

/// Returns the pieces that `x` concatenates along one of `axes`, if the
/// products of all pieces over `axes` have one type.
static std::optional<Joined> findJoined(OpBuilder &b, Location loc, Value x,
                                        ArrayRef<int64_t> axes) {
  auto widening = x.getDefiningOp<arith::ExtFOp>();
  auto concat =
      (widening ? widening.getIn() : x).getDefiningOp<tensor::ConcatOp>();
  if (!concat || !llvm::is_contained(axes, concat.getDim()))
    return std::nullopt;
  RankedTensorType type = tensorOf(x), reduced = reduceDims(type, axes);
  for (Value piece : concat.getInputs())
    if (reduceDims(tensorOf(piece), axes).getShape() != reduced.getShape())
      return std::nullopt;
  Joined joined{llvm::to_vector(concat.getInputs()), concat.getDim()};
  if (widening)
    for (Value &piece : joined.pieces)
      piece = arith::ExtFOp::create(
          b, loc, tensorOf(piece).clone(type.getElementType()), piece);
  return joined;
}

/// Emits the same if `x` is a concatenation: for each piece, the product of all
/// others. Differentiated again, the cotangent of a piece only depends on the
/// factors of that product.
static Value deriveJoinedProduct(OpBuilder &b, Location loc, Value x,
                                 const Joined &joined, ArrayRef<int64_t> axes,
                                 Value dy) {
  ArrayRef<Value> pieces = joined.pieces;
  RankedTensorType type = tensorOf(x), reduced = reduceDims(type, axes);
  SmallVector<Value> products =
      llvm::map_to_vector(pieces, [&](Value piece) -> Value {
        if (piece.getType() == reduced)
          return piece;
        return ReduceOp::create(b, loc, reduced, ReductionKind::prod, piece,
                                axes, /*keepdims=*/true);
      });
  auto multiply = [&](Value lhs, Value rhs) -> Value {
    return arith::MulFOp::create(b, loc, lhs, rhs);
  };
  // The product of dy and the pieces before each one, then the product of the
  // pieces after it.
  SmallVector<Value> others{buildCast(b, loc, dy, reduced)};
  for (Value product : ArrayRef(products).drop_back())
    others.push_back(multiply(others.back(), product));
  Value after;
  for (size_t i = pieces.size() - 1; i-- > 0;) {
    after = after ? multiply(products[i + 1], after) : products[i + 1];
    others[i] = multiply(others[i], after);
  }
  SmallVector<Value> parts;
  for (auto [piece, other] : llvm::zip_equal(pieces, others))
    parts.push_back(deriveProduct(b, loc, piece, axes, other));
  return buildCast(b, loc, tensor::ConcatOp::create(b, loc, joined.dim, parts),
                   type);
}

Value flywheel::nn::deriveProduct(OpBuilder &b, Location loc, Value x,
                                  ArrayRef<int64_t> axes, Value dy) {
  if (axes.empty())
    return buildCast(b, loc, dy, x.getType());
  if (std::optional<Joined> joined = findJoined(b, loc, x, axes))
    return deriveJoinedProduct(b, loc, x, *joined, axes, dy);
  int64_t axis = axes.back();
  RankedTensorType type = tensorOf(x);
  if (axes.size() > 1) {
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = 1;
    Value inner =
        ReduceOp::create(b, loc, type.clone(shape), ReductionKind::prod, x,
                         ArrayRef<int64_t>{axis}, /*keepdims=*/true);
    dy = deriveProduct(b, loc, inner, axes.drop_back(), dy);
  }
  return type.isDynamicDim(axis) ? deriveLongProduct(b, loc, x, axis, dy)
                                 : deriveProductAlong(b, loc, x, axis, dy);
}
