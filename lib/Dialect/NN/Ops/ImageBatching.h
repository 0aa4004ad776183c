//===- ImageBatching.h - Batching of ops on images --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_NN_OPS_IMAGEBATCHING_H
#define FLYWHEEL_LIB_DIALECT_NN_OPS_IMAGEBATCHING_H

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Interfaces/Batcher.h"

namespace flywheel::nn {

/// Batches an op on images that is linear in operand `linear`, or that maps 0
/// to 0: each image is treated separately. The other operands are shared by all
/// positions, or provide a shape: operand `like`, if there is one.
llvm::LogicalResult batchImages(mlir::Operation *op, Batcher &batcher,
                                unsigned linear = 0, mlir::Value like = {});

} // namespace flywheel::nn

#endif // FLYWHEEL_LIB_DIALECT_NN_OPS_IMAGEBATCHING_H
