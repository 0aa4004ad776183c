//===- LowerableOpInterface.h - Ops with a linalg form ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_LOWERABLEOPINTERFACE_H
#define FLYWHEEL_INTERFACES_LOWERABLEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace flywheel {
class LinalgEmitter;
} // namespace flywheel

#include "flywheel/Interfaces/LowerableOpInterface.h.inc"

#endif // FLYWHEEL_INTERFACES_LOWERABLEOPINTERFACE_H
