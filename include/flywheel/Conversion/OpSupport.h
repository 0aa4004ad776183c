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

/// What to write instead of an op of this name, as "expected ..."; empty where
/// the op has a lowering.
std::string getUnsupportedReason(mlir::OperationName name);

/// Whether a value in a function may be of `type`.
bool isSupportedType(mlir::Type type);

} // namespace flywheel

#endif // FLYWHEEL_CONVERSION_OPSUPPORT_H
