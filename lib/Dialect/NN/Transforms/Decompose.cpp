//===- Decompose.cpp - Replace composite ops by what they are made of -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: any module. After: no op implements `CompositeOpInterface`. Refuses
// an instance that its op does not support.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNPasses.h"
#include "flywheel/Interfaces/CompositeOpInterface.h"
#include "flywheel/Support/OpNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel::nn {
#define GEN_PASS_DEF_NNDECOMPOSE
#include "flywheel/Dialect/NN/NNPasses.h.inc"

/// Decompositions in a row. Ours take three; an op of another dialect may be
/// made of itself.
constexpr unsigned kMaxDepth = 32;

namespace {
struct NNDecompose : impl::NNDecomposeBase<NNDecompose> {
  void runOnOperation() override {
    // The parts of a composite op may be composite ops themselves.
    for (unsigned depth = 0;; ++depth) {
      SmallVector<CompositeOpInterface> composites;
      getOperation()->walk(
          [&](CompositeOpInterface op) { composites.push_back(op); });
      if (composites.empty())
        return;
      if (depth == kMaxDepth) {
        composites.front()->emitOpError()
            << "expected a decomposition that ends, found composite ops after "
            << kMaxDepth << " of them in a row";
        return signalPassFailure();
      }
      for (CompositeOpInterface op : composites)
        if (failed(replace(op)))
          return signalPassFailure();
    }
  }

private:
  LogicalResult replace(CompositeOpInterface op) {
    // Here it has a name; the ops that it is made of would be refused later.
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (isa<FloatType>(getElementTypeOrSelf(type)) &&
          failed(verifyComputable(op, type)))
        return failure();
    // Errors in its parts report the name of the composite op.
    nameLocation(op);
    OpBuilder builder(op);
    FailureOr<SmallVector<Value>> parts = op.decompose(builder);
    if (failed(parts))
      return failure();
    if (TypeRange(ValueRange(*parts)) != op->getResultTypes())
      return op->emitOpError()
             << "expected a decomposition to " << op->getResultTypes()
             << ", found " << ValueRange(*parts).getTypes();
    op->replaceAllUsesWith(*parts);
    op->erase();
    ++numDecomposed;
    return success();
  }
};
} // namespace
} // namespace flywheel::nn
