//===- NNDialect.cpp - The nn dialect -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace flywheel::nn;

#include "flywheel/Dialect/NN/NNDialect.cpp.inc"
#include "flywheel/Dialect/NN/NNEnums.cpp.inc"

namespace {
/// Every op is pure: calls inline freely.
struct NNInlinerInterface : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool,
                       mlir::IRMapping &) const final {
    return true;
  }
};
} // namespace

void NNDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "flywheel/Dialect/NN/NNOps.cpp.inc"
      >();
  addInterfaces<NNInlinerInterface>();
}
