//===- VectorizeKernels.cpp - Structured ops on buffers to vector loops ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "KernelFamily.h"

#include "flywheel/Codegen/CPU/CPUPasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_VECTORIZEKERNELS
#include "flywheel/Codegen/CPU/CPUPasses.h.inc"

namespace {
struct VectorizeKernels : impl::VectorizeKernelsBase<VectorizeKernels> {
  void runOnOperation() override;

private:
  /// Returns every structured op of the function, in program order. Fails with
  /// a diagnostic if there is an op that this pass cannot remove.
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
    codegen::ScheduleAttrInterface schedule = codegen::getSchedule(op);
    if (!schedule)
      return op->emitOpError(
          "expected a schedule, which flywheel-choose-schedules sets; found "
          "none");
    auto emitMisfit = [&] {
      return op->emitOpError()
             << "cannot have the schedule " << schedule << ": ";
    };
    if (failed(verifyFit(structured, schedule, emitMisfit)))
      return WalkResult::interrupt();
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

  if (ops->empty())
    return;
  codegen::CPUAttr cpu = codegen::getCPU(getOperation());
  if (!cpu)
    return signalPassFailure();
  IRRewriter rewriter(&getContext());
  auto emit = [&](linalg::LinalgOp op, linalg::LinalgOp &fill) {
    codegen::ScheduleAttrInterface schedule = codegen::getSchedule(op);
    getKernelFamily(schedule)->emit(rewriter, op, schedule, cpu, fill);
  };

  // Contractions first: they absorb the fills before them.
  SmallVector<linalg::LinalgOp> others;
  SmallPtrSet<Operation *, 8> absorbed;
  for (linalg::LinalgOp op : *ops) {
    if (!getFMAKernels().has(codegen::getSchedule(op))) {
      others.push_back(op);
      continue;
    }
    linalg::LinalgOp fill = findPrecedingFill(op);
    emit(op, fill);
    if (fill)
      absorbed.insert(fill);
    ++numContractions;
  }

  for (linalg::LinalgOp op : others) {
    if (absorbed.contains(op)) {
      rewriter.eraseOp(op);
      continue;
    }
    if (getLoopKernels().has(codegen::getSchedule(op)))
      ++numScalar;
    else
      ++numElementwise;
    linalg::LinalgOp fill;
    emit(op, fill);
  }
}
} // namespace flywheel
