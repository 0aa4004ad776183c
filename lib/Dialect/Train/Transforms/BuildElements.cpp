//===- BuildElements.cpp - Tensors from initializers ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel::train;

/// Emits the row-major position of the current element of a `linalg.generic`
/// over tensors of the dimension sizes `sizes`, as i64.
static Value buildLinearIndex(OpBuilder &b, Location loc,
                              ArrayRef<OpFoldResult> sizes) {
  Value position = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  for (auto [dim, dimSize] : llvm::enumerate(sizes)) {
    Value size = getValueOrCreateConstantIndexOp(b, loc, dimSize);
    size = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
    Value index = linalg::IndexOp::create(b, loc, dim);
    index = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
    position = arith::MulIOp::create(b, loc, position, size);
    position = arith::AddIOp::create(b, loc, position, index);
  }
  return position;
}

Value flywheel::train::buildElements(OpBuilder &b, Location loc,
                                     InitializerAttrInterface initializer,
                                     RankedTensorType type, Value key,
                                     ValueRange dynamicSizes) {
  RankedTensorType storage = getStorageType(type);
  SmallVector<OpFoldResult> sizes =
      getMixedValues(type.getShape(), dynamicSizes, b);
  Value empty =
      tensor::EmptyOp::create(b, loc, sizes, storage.getElementType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{storage}, ValueRange{}, ValueRange{empty},
      ArrayRef<AffineMap>{identity}, iterators,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange) {
        Value index = buildLinearIndex(nested, nestedLoc, sizes);
        linalg::YieldOp::create(
            nested, nestedLoc,
            initializer.buildElement(nested, nestedLoc, type, index, key));
      });
  return generic.getResult(0);
}
