//===- DifferentiableOpInterface.h - Reverse-mode rules ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_DIFFERENTIABLEOPINTERFACE_H
#define FLYWHEEL_INTERFACES_DIFFERENTIABLEOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "flywheel/Interfaces/DifferentiableOpInterface.h.inc"

#endif // FLYWHEEL_INTERFACES_DIFFERENTIABLEOPINTERFACE_H
