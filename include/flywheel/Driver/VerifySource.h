//===- VerifySource.h - Ops that verifiers must not be given ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_VERIFYSOURCE_H
#define FLYWHEEL_DRIVER_VERIFYSOURCE_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/LogicalResult.h"

namespace flywheel {

/// Verifies what upstream's verifiers rely on without a check, of `op` and the
/// ops in it, which have been parsed and not verified.
llvm::LogicalResult verifySource(mlir::Operation *op);

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_VERIFYSOURCE_H
