//===- Contraction.h - Sums of products -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is C += A * B: products of matrices, batched ones and
// convolutions. Fusion, strategy and kernels share these queries.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_ANALYSIS_CONTRACTION_H
#define FLYWHEEL_ANALYSIS_CONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Returns true if `op` is C += A * B of floats. Each element of C is one
/// iteration of the parallel loops; A and B may be converted from and to other
/// floats, and from integers. On buffers, C -= A * B counts as well.
bool isContraction(mlir::linalg::LinalgOp op);

/// Returns the type of input `number` of `op`, a contraction, as a factor: its
/// element type, or the float that the body converts its elements to.
mlir::Type getFactorType(mlir::linalg::LinalgOp op, unsigned number);

/// Returns true if `op`, a contraction, is C -= A * B.
bool subtractsProducts(mlir::linalg::LinalgOp op);

/// Returns true if `op` is a contraction both of whose inputs are read again in
/// other iterations of the parallel loops. Then a kernel that keeps C in
/// registers pays, and no producer should be fused into the body of `op`.
bool reusesInputs(mlir::linalg::LinalgOp op);

/// Returns true if `op` computes sums from at least two inputs, each of which
/// is read again in other iterations of those parallel loops that have several:
/// enough work for a kernel of its own, also if `op` is not a contraction. A
/// convolution with one channel counts, because its windows overlap.
bool sumsReusedInputs(mlir::linalg::LinalgOp op);

/// Returns the sizes of the loops of `op` that the shapes of all operands
/// determine; `ShapedType::kDynamic` for others.
llvm::SmallVector<int64_t> getStaticLoopSizes(mlir::linalg::LinalgOp op);

/// The `arith.truncf` that alone uses `element`, an argument of the body of an
/// op; null without.
mlir::Operation *getNarrowingOf(mlir::BlockArgument element);

/// The conversion to a wider float, or of an integer of 8 to 32 bits to a
/// float, that alone uses `element`, an argument of the body of an op: a kernel
/// makes it as it loads. Null without.
mlir::Operation *getWideningOf(mlir::BlockArgument element);

/// Returns true if getWideningOf() may return `op`.
bool isWidening(mlir::Operation *op);

} // namespace flywheel

#endif // FLYWHEEL_ANALYSIS_CONTRACTION_H
