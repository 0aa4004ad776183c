//===- RaiseLinalg.h - Parts of nn-raise-linalg -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_TRANSFORMS_RAISELINALG_H
#define FLYWHEEL_DIALECT_NN_TRANSFORMS_RAISELINALG_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace flywheel::nn {

/// Replaces each `tensor.extract` in the body of `op`, which is on tensors, and
/// each input with a computed map, by an operand that the loops index: an
/// `nn.gather` at indices that a separate op computes. Emits an error and fails
/// if the read is in control flow, or if its indices depend on a running sum.
mlir::LogicalResult raiseExtracts(mlir::RewriterBase &rewriter,
                                  mlir::linalg::LinalgOp op);

/// Replaces `op`, which is on tensors, by `nn.conv2d` or a pool if it is a
/// convolution or pool in one or two dimensions that they can express, in any
/// layout. Otherwise leaves `op` and returns false.
bool raiseWindow(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Rewrites each result of `op`, which is on tensors, to one that `op` writes
/// as a whole: a partly written result becomes a new tensor that is inserted
/// into the old value. If the body reads the old elements, only slices are
/// rewritten. If it does not, emits an error and fails for a map that is not a
/// slice, and for one by which several iterations, or possibly none, write an
/// element.
mlir::LogicalResult raiseWrites(mlir::RewriterBase &rewriter,
                                mlir::linalg::LinalgOp op);

/// Replaces `op`, which is on tensors, by `nn.softmax`. Emits an error and
/// fails if its elements are not floating-point numbers of one type.
mlir::LogicalResult raiseSoftmax(mlir::RewriterBase &rewriter,
                                 mlir::linalg::SoftmaxOp op);

/// Replaces `op` by reassociations of dimensions, which have derivatives, whose
/// sizes are elements of its shape; those that its type knows are checked.
void raiseReshape(mlir::RewriterBase &rewriter, mlir::tensor::ReshapeOp op);

} // namespace flywheel::nn

#endif // FLYWHEEL_DIALECT_NN_TRANSFORMS_RAISELINALG_H
