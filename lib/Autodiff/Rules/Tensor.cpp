//===- Tensor.cpp - Derivative rules of the tensor dialect ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op here moves elements: its VJP moves them back, and adds those that
// were copied to several places.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace flywheel {
namespace {
/// Base of the rules that are written for one op class and one result.
template <typename ModelT, typename OpTy>
struct TensorModel : DifferentiableOpInterface::ExternalModel<ModelT, OpTy> {
  LogicalResult emitVjp(Operation *op, OpBuilder &b, ArrayRef<Value> results,
                        ArrayRef<bool> needed,
                        MutableArrayRef<Value> operands) const {
    ModelT::emit(cast<OpTy>(op), b, results[0], needed, operands);
    return success();
  }
};
} // namespace

static Value zerosLike(OpBuilder &b, Location loc, Value like) {
  return nn::buildSplat(b, loc, like, 0.0);
}

/// Emits the sum of all elements, as a scalar.
static Value sumToScalar(OpBuilder &b, Location loc, Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  Value sum = nn::buildSum(b, loc, tensor, nn::identityDims(rank));
  return tensor::ExtractOp::create(b, loc, sum, ValueRange());
}

namespace {
//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

struct CastModel : TensorModel<CastModel, tensor::CastOp> {
  static void emit(tensor::CastOp op, OpBuilder &b, Value dy, ArrayRef<bool>,
                   MutableArrayRef<Value> operands) {
    operands[0] =
        tensor::CastOp::create(b, op.getLoc(), op.getSource().getType(), dy);
  }
};

struct ExpandShapeModel : TensorModel<ExpandShapeModel, tensor::ExpandShapeOp> {
  static void emit(tensor::ExpandShapeOp op, OpBuilder &b, Value dy,
                   ArrayRef<bool> needed, MutableArrayRef<Value> operands) {
    if (needed[0])
      operands[0] = tensor::CollapseShapeOp::create(
          b, op.getLoc(), op.getSrcType(), dy, op.getReassociationIndices());
  }
};

struct CollapseShapeModel
    : TensorModel<CollapseShapeModel, tensor::CollapseShapeOp> {
  static void emit(tensor::CollapseShapeOp op, OpBuilder &b, Value dy,
                   ArrayRef<bool>, MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    operands[0] = tensor::ExpandShapeOp::create(
        b, loc, op.getSrcType(), dy, op.getReassociationIndices(),
        tensor::getMixedSizes(b, loc, op.getSrc()));
  }
};

struct ReshapeModel : TensorModel<ReshapeModel, tensor::ReshapeOp> {
  static void emit(tensor::ReshapeOp op, OpBuilder &b, Value dy, ArrayRef<bool>,
                   MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, loc, op.getSource());
    SmallVector<Value> dimSizes =
        getValueOrCreateConstantIndexOp(b, loc, sizes);
    auto type = RankedTensorType::get({static_cast<int64_t>(dimSizes.size())},
                                      b.getIndexType());
    Value shape = tensor::FromElementsOp::create(b, loc, type, dimSizes);
    operands[0] =
        tensor::ReshapeOp::create(b, loc, op.getSource().getType(), dy, shape);
  }
};

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

struct ExtractSliceModel
    : TensorModel<ExtractSliceModel, tensor::ExtractSliceOp> {
  static void emit(tensor::ExtractSliceOp op, OpBuilder &b, Value dy,
                   ArrayRef<bool> needed, MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    if (needed[0])
      operands[0] = nn::buildInsertSlice(
          b, loc, dy, zerosLike(b, loc, op.getSource()), op.getMixedOffsets(),
          op.getMixedSizes(), op.getMixedStrides());
  }
};

struct InsertSliceModel : TensorModel<InsertSliceModel, tensor::InsertSliceOp> {
  static void emit(tensor::InsertSliceOp op, OpBuilder &b, Value dy,
                   ArrayRef<bool> needed, MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                              sizes = op.getMixedSizes(),
                              strides = op.getMixedStrides();
    Value part = nn::buildExtractSlice(b, loc, op.getSourceType(), dy, offsets,
                                       sizes, strides);
    if (needed[0])
      operands[0] = part;
    // Nothing is computed again for the size of the source.
    if (needed[1])
      operands[1] = nn::buildInsertSlice(b, loc, zerosLike(b, loc, part), dy,
                                         offsets, sizes, strides);
  }
};
} // namespace

/// Returns a + b, folded if both are known.
static OpFoldResult addDimSizes(OpBuilder &b, Location loc, OpFoldResult lhs,
                                OpFoldResult rhs) {
  std::optional<int64_t> left = getConstantIntValue(lhs),
                         right = getConstantIntValue(rhs);
  if (left && right)
    return b.getIndexAttr(*left + *right);
  Value sum = arith::AddIOp::create(
      b, loc, getValueOrCreateConstantIndexOp(b, loc, lhs),
      getValueOrCreateConstantIndexOp(b, loc, rhs));
  return sum;
}

namespace {
struct ConcatModel : TensorModel<ConcatModel, tensor::ConcatOp> {
  static void emit(tensor::ConcatOp op, OpBuilder &b, Value dy,
                   ArrayRef<bool> needed, MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    int64_t rank = op.getResultType().getRank();
    uint64_t dim = op.getDim();
    // If the cotangent has just been concatenated, its pieces are the
    // cotangents. Then the cotangent of one piece does not depend on those of
    // the others.
    auto joined = dy.getDefiningOp<tensor::ConcatOp>();
    auto isKnown = [&](Value input) {
      return !cast<RankedTensorType>(input.getType()).isDynamicDim(dim);
    };
    // Dynamic sizes may differ although the types are equal.
    if (joined && joined.getDim() == dim &&
        llvm::all_of(op.getInputs(), isKnown) &&
        joined.getInputs().getTypes() == op.getInputs().getTypes()) {
      for (auto [i, piece] : llvm::enumerate(joined.getInputs()))
        operands[i] = piece;
      return;
    }
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, input);
      if (needed[i])
        operands[i] = nn::buildExtractSlice(
            b, loc, cast<RankedTensorType>(input.getType()), dy, offsets, sizes,
            strides);
      offsets[dim] = addDimSizes(b, loc, offsets[dim], sizes[dim]);
    }
  }
};

/// The padding carries no derivative: a padding value that depends on a target
/// is used inside of the region, which is refused before this is called.
struct PadModel
    : DifferentiableOpInterface::ExternalModel<PadModel, tensor::PadOp> {
  bool differentiatesCaptures(Operation *op) const {
    // A number that is computed in the region may differ between positions.
    return static_cast<bool>(cast<tensor::PadOp>(op).getConstantPaddingValue());
  }

  LogicalResult emitVjp(Operation *op, OpBuilder &b, ArrayRef<Value> results,
                        ArrayRef<bool> needed,
                        MutableArrayRef<Value> inputs) const {
    auto pad = cast<tensor::PadOp>(op);
    Location loc = op->getLoc();
    Value dy = results[0];
    SmallVector<OpFoldResult> low = pad.getMixedLowPad(),
                              sizes = tensor::getMixedSizes(b, loc,
                                                            pad.getSource()),
                              strides(low.size(), b.getIndexAttr(1));
    if (needed[0])
      inputs[0] = nn::buildExtractSlice(b, loc, pad.getSourceType(), dy, low,
                                        sizes, strides);
    // The number around the source is the only capture.
    unsigned padding = op->getNumOperands();
    if (needed.size() > padding && needed[padding]) {
      Value around = nn::buildInsertSlice(
          b, loc, zerosLike(b, loc, pad.getSource()), dy, low, sizes, strides);
      inputs[padding] = sumToScalar(b, loc, around);
    }
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

struct ExtractModel : TensorModel<ExtractModel, tensor::ExtractOp> {
  static void emit(tensor::ExtractOp op, OpBuilder &b, Value dy, ArrayRef<bool>,
                   MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    operands[0] = tensor::InsertOp::create(
        b, loc, dy, zerosLike(b, loc, op.getTensor()), op.getIndices());
  }
};

struct InsertModel : TensorModel<InsertModel, tensor::InsertOp> {
  static void emit(tensor::InsertOp op, OpBuilder &b, Value dy,
                   ArrayRef<bool> needed, MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    if (needed[0])
      operands[0] = tensor::ExtractOp::create(b, loc, dy, op.getIndices());
    if (needed[1])
      operands[1] = tensor::InsertOp::create(
          b, loc, zerosLike(b, loc, op.getScalar()), dy, op.getIndices());
  }
};

struct FromElementsModel
    : TensorModel<FromElementsModel, tensor::FromElementsOp> {
  static void emit(tensor::FromElementsOp op, OpBuilder &b, Value dy,
                   ArrayRef<bool> needed, MutableArrayRef<Value> operands) {
    Location loc = op.getLoc();
    ArrayRef<int64_t> shape = op.getType().getShape();
    for (int64_t i = 0, e = op.getElements().size(); i < e; ++i) {
      if (!needed[i])
        continue;
      // Elements are given in row-major order.
      SmallVector<Value> indices(shape.size());
      int64_t rest = i;
      for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
        indices[dim] =
            arith::ConstantIndexOp::create(b, loc, rest % shape[dim]);
        rest /= shape[dim];
      }
      operands[i] = tensor::ExtractOp::create(b, loc, dy, indices);
    }
  }
};

struct SplatModel : TensorModel<SplatModel, tensor::SplatOp> {
  static void emit(tensor::SplatOp op, OpBuilder &b, Value dy,
                   ArrayRef<bool> needed, MutableArrayRef<Value> operands) {
    if (needed[0])
      operands[0] = sumToScalar(b, op.getLoc(), dy);
  }
};
} // namespace

ArrayRef<DerivativeRule> getTensorRules() {
  static const DerivativeRule rules[] = {
      structured<tensor::CastOp, CastModel>(),
      structured<tensor::CollapseShapeOp, CollapseShapeModel>(),
      structured<tensor::ConcatOp, ConcatModel>(),
      structured<tensor::ExpandShapeOp, ExpandShapeModel>(),
      structured<tensor::ExtractOp, ExtractModel>(),
      structured<tensor::ExtractSliceOp, ExtractSliceModel>(),
      structured<tensor::FromElementsOp, FromElementsModel>(),
      structured<tensor::InsertOp, InsertModel>(),
      structured<tensor::InsertSliceOp, InsertSliceModel>(),
      structured<tensor::PadOp, PadModel>(),
      structured<tensor::ReshapeOp, ReshapeModel>(),
      structured<tensor::SplatOp, SplatModel>(),
  };
  return rules;
}

} // namespace flywheel
