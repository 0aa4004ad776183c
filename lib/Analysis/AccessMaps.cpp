//===- AccessMaps.cpp - Maps from loops to operands -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Analysis/AccessMaps.h"

using namespace mlir;

namespace flywheel {

static bool isTileable(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return isa<AffineDimExpr>(expr);
  bool isSum = expr.getKind() == AffineExprKind::Add;
  bool isMultiple = expr.getKind() == AffineExprKind::Mul &&
                    isa<AffineConstantExpr>(binary.getRHS());
  return (isSum || isMultiple) && isTileable(binary.getLHS()) &&
         isTileable(binary.getRHS());
}

bool isTileable(AffineMap map) {
  return llvm::all_of(map.getResults(),
                      [](AffineExpr expr) { return isTileable(expr); });
}

bool hasTileableMaps(linalg::LinalgOp op) {
  return llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return isTileable(map); });
}

} // namespace flywheel
