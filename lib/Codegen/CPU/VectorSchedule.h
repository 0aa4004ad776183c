//===- VectorSchedule.h - How an op is vectorized ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_VECTORSCHEDULE_H
#define FLYWHEEL_LIB_CODEGEN_CPU_VECTORSCHEDULE_H

#include "KernelEmitter.h"
#include "KernelFamily.h"

namespace flywheel {

/// The vectorization of one op.
struct VectorPlan {
  mlir::linalg::LinalgOp op;
  /// The loop along the lanes, and true if it is a reduction.
  unsigned dim = 0;
  bool horizontal = false;
  int64_t vectorLength = 1;
  /// Neighbouring vectors of outputs that one nest of reductions computes.
  int64_t interleave = 1;
  /// The loop along which inputs that are strided along `dim` are contiguous,
  /// if they are to be transposed in blocks.
  std::optional<unsigned> transposed;
  /// The other loops.
  llvm::SmallVector<unsigned> parallel, reductions;
};

/// Returns the operation that combines values with the output `index`, if the
/// op only uses the output for that and partial results of it can be combined.
mlir::Operation *getCombiner(mlir::linalg::LinalgOp op, unsigned index);

/// Calls `classifyAccess` for an operand of `op`.
AccessKind classifyAccess(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                          unsigned dim);

/// True if blocks of `operand` are transposed when vectors run along `dim` and
/// `transposed` is the loop of that name in the plan.
bool isTransposed(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                  unsigned dim, std::optional<unsigned> transposed);

/// Returns the loops of `op` in the roles that `schedule` gives them; fails if
/// they do not fit.
mlir::FailureOr<VectorPlan> getVectorPlan(mlir::linalg::LinalgOp op,
                                          codegen::VectorAttr schedule,
                                          EmitMisfit emitMisfit = {});

/// Returns the best loop along vectors for `op`, on buffers; null if it has no
/// vector form.
codegen::VectorAttr chooseVectorSchedule(mlir::linalg::LinalgOp op,
                                         codegen::CPUAttr cpu);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_VECTORSCHEDULE_H
