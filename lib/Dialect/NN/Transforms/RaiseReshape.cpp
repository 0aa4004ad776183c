//===- RaiseReshape.cpp - Reshapes by a tensor of sizes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseLinalg.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;

/// Reshapes `input` to a vector, of `type`.
static Value buildFlat(OpBuilder &b, Location loc, Value input, Type type) {
  auto inputType = cast<RankedTensorType>(input.getType());
  if (inputType.getRank() == 0)
    input = tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get({1}, inputType.getElementType()), input,
        ArrayRef<ReassociationIndices>());
  else if (inputType.getRank() > 1)
    input = tensor::CollapseShapeOp::create(
        b, loc, input,
        SmallVector<ReassociationIndices>{
            nn::identityDims(inputType.getRank())});
  return nn::buildCast(b, loc, input, type);
}

void nn::raiseReshape(RewriterBase &b, tensor::ReshapeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !isa<RankedTensorType>(op.getSource().getType()))
    return;
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    Value number = arith::ConstantIndexOp::create(b, loc, dim);
    number = tensor::ExtractOp::create(b, loc, op.getShape(), number);
    if (!number.getType().isIndex())
      number = arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
    if (ShapedType::isDynamic(size)) {
      sizes.push_back(number);
      continue;
    }
    sizes.push_back(b.getIndexAttr(size));
    Value expected = arith::ConstantIndexOp::create(b, loc, size);
    Value ok = linalg_ext::CompareSizesOp::create(
        b, loc, linalg_ext::SizePredicate::eq, number, expected);
    linalg_ext::NamedNumbers numbers;
    std::string found = numbers.add(number);
    linalg_ext::createCheck(b, op, linalg_ext::CheckKind::data, ok,
                            "size of dimension " + Twine(dim) +
                                " is not that of the result's type",
                            ": " + found + " and " + Twine(size), numbers);
  }
  int64_t count =
      type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  Value flat = buildFlat(b, loc, op.getSource(),
                         RankedTensorType::get({count}, type.getElementType()));
  if (type.getRank() == 1) {
    // A cast says nothing of the size that was asked for.
    if (type.hasStaticShape()) {
      b.replaceOp(op, flat);
      return;
    }
    Value found = tensor::DimOp::create(b, loc, flat, 0);
    Value ok = linalg_ext::CompareSizesOp::create(
        b, loc, linalg_ext::SizePredicate::eq, found, cast<Value>(sizes[0]));
    linalg_ext::NamedNumbers numbers;
    std::string both = numbers.add(sizes[0]) + " and " + numbers.add(found);
    linalg_ext::createCheck(b, op, linalg_ext::CheckKind::data, ok,
                            "number of elements is not that of the source",
                            ": " + both, numbers);
    b.replaceOp(op, flat);
    return;
  }
  if (type.getRank() == 0) {
    b.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, type, flat, ArrayRef<ReassociationIndices>());
    return;
  }
  b.replaceOpWithNewOp<tensor::ExpandShapeOp>(
      op, type, flat,
      SmallVector<ReassociationIndices>{nn::identityDims(type.getRank())},
      sizes);
}
