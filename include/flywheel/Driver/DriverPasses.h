//===- DriverPasses.h - Passes about stages ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_DRIVERPASSES_H
#define FLYWHEEL_DRIVER_DRIVERPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/IR/BuiltinOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Driver/DriverPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Driver/DriverPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_DRIVER_DRIVERPASSES_H
