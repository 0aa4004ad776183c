//===- NNVjp.cpp - Vector-Jacobian products of the nn dialect -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/NN.h"

using namespace mlir;
using namespace flywheel::nn;

#define VJP(OP)                                                                \
  LogicalResult OP::emitVjp(OpBuilder &, ArrayRef<Value>, ArrayRef<bool>,      \
                            MutableArrayRef<Value>) {                          \
    return emitOpError("has no derivative");                                   \
  }
VJP(MatmulOp) VJP(DenseOp) VJP(ReluOp) VJP(SoftmaxOp)
    VJP(SoftmaxCrossEntropyOp) VJP(SparseSoftmaxCrossEntropyOp)
        VJP(BroadcastOp) VJP(ReduceOp)
