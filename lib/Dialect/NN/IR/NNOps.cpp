//===- NNOps.cpp - Verifiers of the nn dialect ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace flywheel::nn;

#define GET_OP_CLASSES
#include "flywheel/Dialect/NN/NNOps.cpp.inc"

static RankedTensorType tensorOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Checks that `value`, which the message calls `what`, has rank `rank`.
static LogicalResult verifyRank(Operation *op, Value value, StringRef what,
                                int64_t rank) {
  int64_t found = tensorOf(value).getRank();
  if (found == rank)
    return success();
  return op->emitOpError() << "expected " << what << " of rank " << rank
                           << ", found " << value.getType();
}

/// Checks that two extents can be equal: a dynamic extent fits any.
static LogicalResult verifySameExtent(Operation *op, StringRef what, int64_t a,
                                      int64_t b) {
  if (a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b))
    return success();
  return op->emitOpError() << "expected equal " << what << ", found " << a
                           << " and " << b;
}

/// Checks the declared result type against the inferred shape.
static LogicalResult verifyResultShape(Operation *op, Value result,
                                       ArrayRef<int64_t> shape) {
  auto expected =
      RankedTensorType::get(shape, tensorOf(result).getElementType());
  if (succeeded(verifyCompatibleShape(expected, result.getType())))
    return success();
  return op->emitOpError() << "expected a result of type " << expected
                           << ", found " << result.getType();
}

static LogicalResult verifySameElementType(Operation *op) {
  Type first = getElementTypeOrSelf(op->getOperand(0));
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                                      SmallVector<Type>(op->getResultTypes())))
    if (getElementTypeOrSelf(type) != first)
      return op->emitOpError() << "expected one element type, found " << first
                               << " and " << getElementTypeOrSelf(type);
  return success();
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  if (failed(verifySameElementType(*this)) ||
      failed(verifyRank(*this, getA(), "a", 2)) ||
      failed(verifyRank(*this, getB(), "b", 2)))
    return failure();
  RankedTensorType a = tensorOf(getA()), b = tensorOf(getB());
  int64_t m = a.getDimSize(getTransposeA()), k = a.getDimSize(!getTransposeA());
  int64_t n = b.getDimSize(!getTransposeB());
  if (failed(verifySameExtent(*this, "contracted extents of a and b", k,
                              b.getDimSize(getTransposeB()))))
    return failure();
  return verifyResultShape(*this, getResult(), {m, n});
}

LogicalResult DenseOp::verify() {
  if (failed(verifySameElementType(*this)) ||
      failed(verifyRank(*this, getX(), "x", 2)) ||
      failed(verifyRank(*this, getW(), "w", 2)) ||
      failed(verifyRank(*this, getB(), "b", 1)))
    return failure();
  RankedTensorType x = tensorOf(getX()), w = tensorOf(getW()),
                   b = tensorOf(getB());
  if (failed(verifySameExtent(*this, "columns of x and rows of w",
                              x.getDimSize(1), w.getDimSize(0))) ||
      failed(verifySameExtent(*this, "columns of w and elements of b",
                              w.getDimSize(1), b.getDimSize(0))))
    return failure();
  return verifyResultShape(*this, getResult(),
                           {x.getDimSize(0), w.getDimSize(1)});
}

//===----------------------------------------------------------------------===//
// Activations and losses
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::verify() {
  if (tensorOf(getX()).getRank() < 1)
    return emitOpError() << "expected a rank of at least 1, found "
                         << getX().getType();
  return success();
}

/// Checks the result of a loss over rows: [batch], or a scalar.
static LogicalResult verifyLossResult(Operation *op, Value result,
                                      LossReduction reduction, int64_t batch) {
  if (reduction == LossReduction::none)
    return verifyResultShape(op, result, {batch});
  return verifyResultShape(op, result, {});
}

LogicalResult SoftmaxCrossEntropyOp::verify() {
  if (failed(verifySameElementType(*this)) ||
      failed(verifyRank(*this, getLogits(), "logits", 2)) ||
      failed(verifyRank(*this, getLabels(), "labels", 2)))
    return failure();
  RankedTensorType logits = tensorOf(getLogits()),
                   labels = tensorOf(getLabels());
  if (failed(verifySameExtent(*this, "rows of logits and labels",
                              logits.getDimSize(0), labels.getDimSize(0))) ||
      failed(verifySameExtent(*this, "classes of logits and labels",
                              logits.getDimSize(1), labels.getDimSize(1))))
    return failure();
  return verifyLossResult(*this, getResult(), getReduction(),
                          logits.getDimSize(0));
}

LogicalResult SparseSoftmaxCrossEntropyOp::verify() {
  if (failed(verifyRank(*this, getLogits(), "logits", 2)) ||
      failed(verifyRank(*this, getLabel(), "label", 1)))
    return failure();
  RankedTensorType logits = tensorOf(getLogits());
  if (logits.getElementType() != getElementTypeOrSelf(getResult()))
    return emitOpError() << "expected a result of the logits' element type "
                         << logits.getElementType() << ", found "
                         << getResult().getType();
  if (getElementTypeOrSelf(getLabel()).isInteger(1))
    return emitOpError() << "expected integer labels, found "
                         << getLabel().getType();
  if (failed(verifySameExtent(*this, "rows of logits and labels",
                              logits.getDimSize(0),
                              tensorOf(getLabel()).getDimSize(0))))
    return failure();
  return verifyLossResult(*this, getResult(), getReduction(),
                          logits.getDimSize(0));
}

//===----------------------------------------------------------------------===//
// Shapes and reductions
//===----------------------------------------------------------------------===//

/// Checks that `dims` is strictly increasing and within [0, rank).
static LogicalResult verifyDims(Operation *op, StringRef what,
                                ArrayRef<int64_t> dims, int64_t rank) {
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= rank)
      return op->emitOpError() << "expected " << what << " within [0, " << rank
                               << "), found " << dim;
    if (i > 0 && dims[i - 1] >= dim)
      return op->emitOpError() << "expected strictly increasing " << what
                               << ", found " << dim << " after " << dims[i - 1];
  }
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType input = tensorOf(getInput()), result = tensorOf(getResult());
  if (input.getElementType() != result.getElementType())
    return emitOpError() << "expected one element type, found "
                         << input.getElementType() << " and "
                         << result.getElementType();
  ArrayRef<int64_t> dims = getDims();
  if (static_cast<int64_t>(dims.size()) != input.getRank())
    return emitOpError() << "expected one entry of dims for each of the "
                         << input.getRank()
                         << " dimensions of the input, found " << dims.size();
  if (failed(verifyDims(*this, "dims", dims, result.getRank())))
    return failure();
  for (auto [i, dim] : llvm::enumerate(dims))
    if (input.getDimSize(i) != 1 &&
        failed(verifySameExtent(*this, "extents of input and result",
                                input.getDimSize(i), result.getDimSize(dim))))
      return failure();
  if (getLike())
    return verifyResultShape(*this, getResult(),
                             tensorOf(getLike()).getShape());
  if (!result.hasStaticShape())
    return emitOpError()
           << "expected `like` for a result with dynamic extents, "
              "found none";
  return success();
}

LogicalResult ReduceOp::verify() {
  RankedTensorType input = tensorOf(getInput());
  if (input.getElementType() != getElementTypeOrSelf(getResult()))
    return emitOpError() << "expected one element type, found "
                         << input.getElementType() << " and "
                         << getElementTypeOrSelf(getResult());
  if (getKind() == ReductionKind::mean &&
      !isa<FloatType>(input.getElementType()))
    return emitOpError() << "expected a floating-point type for a mean, found "
                         << input.getElementType();
  bool isArithmetic =
      getKind() == ReductionKind::sum || getKind() == ReductionKind::prod;
  if (isArithmetic && input.getElementType().isInteger(1))
    return emitOpError() << "expected a numeric element type, found " << input;
  if (failed(verifyDims(*this, "axes", getAxes(), input.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [i, extent] : llvm::enumerate(input.getShape())) {
    if (!llvm::is_contained(getAxes(), static_cast<int64_t>(i)))
      shape.push_back(extent);
    else if (getKeepdims())
      shape.push_back(1);
  }
  return verifyResultShape(*this, getResult(), shape);
}

LogicalResult OneHotOp::verify() {
  SmallVector<int64_t> shape(tensorOf(getIndices()).getShape());
  RankedTensorType result = tensorOf(getResult());
  if (result.getRank() == 0)
    return emitOpError() << "expected a result of rank " << shape.size() + 1
                         << ", found " << result;
  int64_t depth = result.getShape().back();
  if (ShapedType::isDynamic(depth))
    return emitOpError() << "expected a static last extent, found " << result;
  shape.push_back(depth);
  return verifyResultShape(*this, getResult(), shape);
}

LogicalResult ArgmaxOp::verify() {
  SmallVector<int64_t> shape(tensorOf(getInput()).getShape());
  int64_t axis = static_cast<int64_t>(getAxis());
  if (failed(verifyDims(*this, "axis", {axis}, shape.size())))
    return failure();
  if (shape[axis] == 0)
    return emitOpError() << "expected a non-empty axis, found "
                         << getInput().getType();
  Type index = getElementTypeOrSelf(getResult());
  if (!index.isInteger(32) && !index.isInteger(64))
    return emitOpError() << "expected indices of i32 or i64, found "
                         << getResult().getType();
  shape.erase(shape.begin() + axis);
  return verifyResultShape(*this, getResult(), shape);
}
