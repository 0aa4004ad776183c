//===- CarriedScalars.h - Numbers that loops of the host carry --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_CARRIEDSCALARS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_CARRIEDSCALARS_H

#include "HostScalars.h"

namespace flywheel {

/// Puts numbers that loops and branches of `kernel` pass on, and that depend on
/// elements of the device, in slots of it: whether a check has held so far, and
/// what its message names. They are loaded and stored where they were passed
/// on.
void demoteCarriedScalars(mlir::func::FuncOp kernel,
                          const HostScalars &scalars);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_CARRIEDSCALARS_H
