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

/// The batching rule of an op on images that is linear in operand `linear`, or
/// of which 0 makes 0: each image is treated by itself. The other operands are
/// shared by all positions, or give a shape: operand `like`, where there is
/// one.
llvm::LogicalResult batchImages(mlir::Operation *op, Batcher &batcher,
                                unsigned linear = 0, mlir::Value like = {});

} // namespace flywheel::nn

#endif // FLYWHEEL_LIB_DIALECT_NN_OPS_IMAGEBATCHING_H
