//===- VectorizeKernels.cpp - Structured ops on buffers to vector loops ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "flywheel/Codegen/CPU/CPUPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_VECTORIZEKERNELS
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"

namespace {
struct VectorizeKernels : impl::VectorizeKernelsBase<VectorizeKernels> {
  using VectorizeKernelsBase::VectorizeKernelsBase;

  void runOnOperation() override;

private:
  /// Every structured op of the function, in program order. Fails with a
  /// diagnostic if there is an op that this pass cannot remove.
  FailureOr<SmallVector<linalg::LinalgOp>> collectOps();
};
} // namespace

FailureOr<SmallVector<linalg::LinalgOp>> VectorizeKernels::collectOps() {
  SmallVector<linalg::LinalgOp> ops;
  WalkResult result = getOperation().walk([&](Operation *op) -> WalkResult {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured) {
      // The terminator and the index op live inside of structured ops.
      if (isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()) &&
          !isa<linalg::YieldOp, linalg::IndexOp>(op))
        return op->emitOpError("has no vector or loop lowering on buffers");
      return WalkResult::advance();
    }
    if (!structured.hasPureBufferSemantics())
      return op->emitOpError("expected memref operands: kernels are made "
                             "after bufferization");
    ops.push_back(structured);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return ops;
}

void VectorizeKernels::runOnOperation() {
  FailureOr<SmallVector<linalg::LinalgOp>> ops = collectOps();
  if (failed(ops))
    return signalPassFailure();

  if (vectorBits < 64 || !llvm::isPowerOf2_32(vectorBits) ||
      numVectorRegisters < 4) {
    getOperation().emitError("expected a power of two of at least 64 vector "
                             "bits and at least 4 vector registers, found ")
        << vectorBits.getValue() << " and " << numVectorRegisters.getValue();
    return signalPassFailure();
  }
  CpuTarget target{vectorBits, numVectorRegisters};
  IRRewriter rewriter(&getContext());

  // Contractions first: they absorb fills that come before them.
  SmallVector<linalg::LinalgOp> others;
  SmallPtrSet<Operation *, 8> absorbed;
  for (linalg::LinalgOp op : *ops) {
    linalg::LinalgOp fill = findPrecedingFill(op);
    if (!vectorizeContraction(rewriter, op, fill, target)) {
      others.push_back(op);
      continue;
    }
    if (fill)
      absorbed.insert(fill);
    ++numContractions;
  }

  for (linalg::LinalgOp op : others) {
    if (absorbed.contains(op)) {
      rewriter.eraseOp(op);
      continue;
    }
    if (vectorizeElementwise(rewriter, op, target)) {
      ++numElementwise;
      continue;
    }
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op))) {
      op.emitOpError("has no loop lowering");
      return signalPassFailure();
    }
    rewriter.eraseOp(op);
    ++numScalar;
  }
}
} // namespace flywheel
