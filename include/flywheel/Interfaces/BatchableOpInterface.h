//===- BatchableOpInterface.h - Many of an op at once -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_BATCHABLEOPINTERFACE_H
#define FLYWHEEL_INTERFACES_BATCHABLEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace flywheel {
class Batcher;
} // namespace flywheel

#include "flywheel/Interfaces/BatchableOpInterface.h.inc"

#endif // FLYWHEEL_INTERFACES_BATCHABLEOPINTERFACE_H
