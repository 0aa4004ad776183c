//===- PlainErrors.h - Errors of upstream in our words ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DRIVER_PLAINERRORS_H
#define FLYWHEEL_LIB_DRIVER_PLAINERRORS_H

#include "mlir/IR/Diagnostics.h"

namespace flywheel {

/// While it lives, replaces errors about the inner parts of upstream's passes
/// (legalization, bufferization, casts that do not resolve) by an error, at the
/// same location, that the op is not supported.
class PlainErrors {
public:
  explicit PlainErrors(mlir::MLIRContext *context);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace flywheel

#endif // FLYWHEEL_LIB_DRIVER_PLAINERRORS_H
