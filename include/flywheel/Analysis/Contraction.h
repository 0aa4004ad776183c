//===- Contraction.h - Sums of products -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is C += A * B: products of matrices, batched ones and
// convolutions. Fusion, strategy and kernels share what they know of it.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_ANALYSIS_CONTRACTION_H
#define FLYWHEEL_ANALYSIS_CONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Whether `op` is C += A * B of floats, where each element of C is one
/// iteration of the parallel loops, and A and B may be converted from and to
/// other floats, and from integers. On tensors or buffers; on buffers also C -=
/// A * B.
bool isContraction(mlir::linalg::LinalgOp op);

/// What input `number` of `op`, a contraction, is as a factor: the type of its
/// elements, or the float that the body converts them to.
mlir::Type getFactorType(mlir::linalg::LinalgOp op, unsigned number);

/// Whether `op`, a contraction, is C -= A * B.
bool subtractsProducts(mlir::linalg::LinalgOp op);

/// Whether `op` is a contraction both of whose inputs are read again in other
/// iterations of the parallel loops: then a kernel that keeps C in registers
/// pays, and nothing else may be computed in the body of `op`.
bool reusesInputs(mlir::linalg::LinalgOp op);

/// Whether `op` sums something of two inputs or more, each of which is read
/// again in other iterations of those parallel loops that have several: work
/// that is worth a kernel of its own, be it a contraction or not. So does a
/// convolution with one channel, as windows overlap.
bool sumsReusedInputs(mlir::linalg::LinalgOp op);

/// The sizes of the loops of `op` as the shapes of all operands say them;
/// `ShapedType::kDynamic` where none does.
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
