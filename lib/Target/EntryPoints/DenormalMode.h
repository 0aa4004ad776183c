//===- DenormalMode.h - Flush denormal numbers in a step --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot that decays geometrically (momentum of a unit that died) ends as a
// denormal number and stays one; arithmetic on those takes a hundred times as
// long. A step therefore runs with the CPU's flush-to-zero mode on, as XLA's
// do, and leaves the caller's mode as it was.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_ENTRYPOINTS_DENORMALMODE_H
#define FLYWHEEL_LIB_TARGET_ENTRYPOINTS_DENORMALMODE_H

#include "mlir/IR/Builders.h"

namespace flywheel {

/// The control register that has the mode.
enum class DenormalControl { None, X86, AArch64 };

/// Returns the control for `name` (``, `x86`, `aarch64`), or nullopt.
std::optional<DenormalControl> parseDenormalControl(llvm::StringRef name);

/// Emits the switch to flushing, and returns the operand of
/// emitRestoreDenormals(): null if `control` is None. `slots` is a pointer to
/// stack memory of two i32.
mlir::Value emitFlushDenormals(mlir::OpBuilder &builder, mlir::Location loc,
                               DenormalControl control, mlir::Value slots);

/// Emits the switch back.
void emitRestoreDenormals(mlir::OpBuilder &builder, mlir::Location loc,
                          DenormalControl control, mlir::Value saved);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_ENTRYPOINTS_DENORMALMODE_H
