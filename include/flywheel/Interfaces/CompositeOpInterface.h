//===- CompositeOpInterface.h - Ops that are made of others -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_COMPOSITEOPINTERFACE_H
#define FLYWHEEL_INTERFACES_COMPOSITEOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "flywheel/Interfaces/CompositeOpInterface.h.inc"

#endif // FLYWHEEL_INTERFACES_COMPOSITEOPINTERFACE_H
