//===- CarriedScalars.h - Numbers that loops of the host carry --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_GPU_HOST_CARRIEDSCALARS_H
#define FLYWHEEL_LIB_CODEGEN_GPU_HOST_CARRIEDSCALARS_H

#include "HostScalars.h"

namespace flywheel {

/// Keeps numbers that loops and branches of `kernel` yield, and that depend on
/// elements of the device, in slots of it: the result of a check so far, and
/// the values in its message. They are stored where they were yielded, and
/// loaded where they were used.
void demoteCarriedScalars(mlir::func::FuncOp kernel,
                          const HostScalars &scalars);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_GPU_HOST_CARRIEDSCALARS_H
