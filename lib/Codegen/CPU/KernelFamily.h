//===- KernelFamily.h - One way to compute structured ops -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_KERNELFAMILY_H
#define FLYWHEEL_LIB_CODEGEN_CPU_KERNELFAMILY_H

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Starts the diagnostic with the reason why a schedule does not fit; null if
/// nobody needs it.
using EmitMisfit = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Kernels made of one family of instructions. A family has an attribute of the
/// codegen dialect that specifies how it computes one op.
class KernelFamily {
public:
  virtual ~KernelFamily() = default;

  /// Returns the best schedule of this family for `op`, which is on tensors or
  /// on buffers, or null if it has none.
  virtual codegen::ScheduleAttrInterface choose(mlir::linalg::LinalgOp op,
                                                codegen::CPUAttr cpu) const = 0;

  /// Returns true if `schedule` is one of this family.
  virtual bool has(codegen::ScheduleAttrInterface schedule) const = 0;

  /// Fails if `op` cannot be computed as `schedule`, a verified one of this
  /// family, specifies.
  virtual mlir::LogicalResult verifyFit(mlir::linalg::LinalgOp op,
                                        codegen::ScheduleAttrInterface schedule,
                                        EmitMisfit emitMisfit) const = 0;

  /// Replaces `op`, on buffers, by a kernel with `schedule`, which fits. If the
  /// kernel starts from the value of `fill`, if given, `fill` can be erased;
  /// otherwise `fill` is set to null.
  virtual void emit(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                    codegen::ScheduleAttrInterface schedule,
                    codegen::CPUAttr cpu,
                    mlir::linalg::LinalgOp &fill) const = 0;
};

/// Returns the family of contractions by vector multiply-adds, with C in
/// registers (`#codegen.fma`).
const KernelFamily &getFMAKernels();
/// Returns the family of elementwise ops and reductions over vectors
/// (`#codegen.vector`).
const KernelFamily &getVectorKernels();
/// Returns the family of plain loops (`#codegen.loops`), which compute every
/// op.
const KernelFamily &getLoopKernels();

/// Returns the families, the fastest first.
llvm::ArrayRef<const KernelFamily *> getKernelFamilies();

/// Returns the family of `schedule`; null for a schedule of another dialect.
const KernelFamily *getKernelFamily(codegen::ScheduleAttrInterface schedule);

/// Fails if no family can compute `op` with `schedule`, a verified one.
mlir::LogicalResult verifyFit(mlir::linalg::LinalgOp op,
                              codegen::ScheduleAttrInterface schedule,
                              EmitMisfit emitMisfit);

/// Returns the schedule of the first family that has one for `op`.
codegen::ScheduleAttrInterface chooseSchedule(mlir::linalg::LinalgOp op,
                                              codegen::CPUAttr cpu);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_KERNELFAMILY_H
