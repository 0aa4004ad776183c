//===- OpSupport.h - What has a lowering ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CONVERSION_OPSUPPORT_H
#define FLYWHEEL_CONVERSION_OPSUPPORT_H

#include "mlir/IR/Operation.h"

#include <string>

namespace flywheel {

/// Returns a replacement for an op of this name, as "expected ..."; empty if
/// the op has a lowering.
std::string getUnsupportedReason(mlir::OperationName name);

/// Returns true if a value in a function may be of `type`.
bool isSupportedType(mlir::Type type);

} // namespace flywheel

#endif // FLYWHEEL_CONVERSION_OPSUPPORT_H
