//===- SizeRelations.cpp - Requirements of the ops on sizes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifiers check these relations between static sizes, and
// `flywheel-check-sizes` between dynamic ones.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::linalg_ext;

static int64_t getRank(Value value) {
  return cast<ShapedType>(value.getType()).getRank();
}

/// Relates `slices` [O.., J.., I..] to `whole` [O.., n, I..] at `indices`
/// [J..], with `axis` dimensions O.
static void relateSlices(SizeRelationSink &sizes, Value whole, Value indices,
                         Value slices, int64_t axis) {
  int64_t numIndices = getRank(indices);
  for (int64_t dim = 0; dim < getRank(slices); ++dim) {
    if (dim < axis)
      sizes.equalDims(slices, dim, whole, dim, "the slices", "the whole");
    else if (dim < axis + numIndices)
      sizes.equalDims(slices, dim, indices, dim - axis, "the slices",
                      "the indices");
    else
      sizes.equalDims(slices, dim, whole, dim - numIndices + 1, "the slices",
                      "the whole");
  }
}

static void relateSquare(SizeRelationSink &sizes, Value matrices) {
  int64_t rank = getRank(matrices);
  sizes.equalDims(matrices, rank - 2, matrices, rank - 1, "the matrices",
                  "them");
}

void GatherOp::relateSizes(SizeRelationSink &sizes) {
  relateSlices(sizes, getX(), getIndices(), getInit(), getAxis());
}

void ScatterOp::relateSizes(SizeRelationSink &sizes) {
  relateSlices(sizes, getInit(), getIndices(), getUpdates(), getAxis());
}

void ScanOp::relateSizes(SizeRelationSink &sizes) {
  sizes.equalShapes(getX(), getInit(), "x", "the destination");
}

void CholeskyOp::relateSizes(SizeRelationSink &sizes) {
  relateSquare(sizes, getInit());
}

void TriangularSolveOp::relateSizes(SizeRelationSink &sizes) {
  relateSquare(sizes, getA());
  for (int64_t dim = 0; dim < getRank(getA()) - 1; ++dim)
    sizes.equalDims(getA(), dim, getInit(), dim, "the triangles",
                    "the right-hand sides");
}

/// Adds no relations: a function of the host accepts any sizes, and its results
/// have static ones.
void HostCallOp::relateSizes(SizeRelationSink &) {}

void ArgsortOp::relateSizes(SizeRelationSink &sizes) {
  sizes.equalShapes(getOrder(), getIndices(), "the order", "the indices");
  sizes.equalShapes(getSpare(), getIndices(), "the spare room", "the indices");
}

void CombineRowsOp::relateSizes(SizeRelationSink &sizes) {
  sizes.equalShapes(getOrder(), getIndices(), "the order", "the indices");
  sizes.equalDims(getRows(), 0, getIndices(), 0, "the rows", "the indices");
}

void UpdateRowsOp::relateSizes(SizeRelationSink &sizes) {
  sizes.equalShapes(getOrder(), getIndices(), "the order", "the indices");
  sizes.equalDims(getRows(), 0, getIndices(), 0, "the rows", "the indices");
  for (Value table : getTables())
    for (int64_t dim = 1; dim < getRank(table); ++dim)
      sizes.equalDims(getRows(), dim, table, dim, "the rows", "the tables");
  for (Value table : getTables().drop_front())
    sizes.equalDims(getTables().front(), 0, table, 0, "a table", "another");
}
