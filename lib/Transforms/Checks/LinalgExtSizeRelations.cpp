//===- LinalgExtSizeRelations.cpp - What linalg_ext requires of sizes -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeRelationReporter.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

using namespace mlir;
using namespace flywheel;

void RelationReporter::addLinalgExt() {
  // Or buffers, later.
  if (!llvm::all_of(op->getOperands(), isRanked))
    return;
  auto slices = [&](Value whole, Value indices, Value parts, int64_t axis) {
    int64_t numIndices = getRank(indices);
    for (int64_t dim = 0; dim < getRank(parts); ++dim) {
      if (dim < axis)
        equalDims(parts, dim, whole, dim, "the slices", "the whole");
      else if (dim < axis + numIndices)
        equalDims(parts, dim, indices, dim - axis, "the slices", "the indices");
      else
        equalDims(parts, dim, whole, dim - numIndices + 1, "the slices",
                  "the whole");
    }
  };
  auto square = [&](Value matrices) {
    int64_t rank = getRank(matrices);
    equalDims(matrices, rank - 2, matrices, rank - 1, "the matrices", "them");
  };
  if (auto gather = dyn_cast<linalg_ext::GatherOp>(op))
    return slices(gather.getX(), gather.getIndices(), gather.getInit(),
                  gather.getAxis());
  if (auto scatter = dyn_cast<linalg_ext::ScatterOp>(op))
    return slices(scatter.getInit(), scatter.getIndices(), scatter.getUpdates(),
                  scatter.getAxis());
  if (auto scan = dyn_cast<linalg_ext::ScanOp>(op))
    return equalShapes(scan.getX(), scan.getInit(), "x", "the destination");
  if (auto cholesky = dyn_cast<linalg_ext::CholeskyOp>(op))
    return square(cholesky.getInit());
  if (auto solve = dyn_cast<linalg_ext::TriangularSolveOp>(op)) {
    square(solve.getA());
    for (int64_t dim = 0; dim < getRank(solve.getA()) - 1; ++dim)
      equalDims(solve.getA(), dim, solve.getInit(), dim, "the triangles",
                "the right-hand sides");
  }
}
