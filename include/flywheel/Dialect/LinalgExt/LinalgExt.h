//===- LinalgExt.h - The linalg_ext dialect ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_LINALGEXT_LINALGEXT_H
#define FLYWHEEL_DIALECT_LINALGEXT_LINALGEXT_H

#include "flywheel/Interfaces/SizeOpInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/SubsetOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "flywheel/Dialect/LinalgExt/LinalgExtDialect.h.inc"
#include "flywheel/Dialect/LinalgExt/LinalgExtEnums.h.inc"

#define GET_OP_CLASSES
#include "flywheel/Dialect/LinalgExt/LinalgExtOps.h.inc"

namespace flywheel::linalg_ext {
/// Says how the ops bufferize.
void registerBufferization(mlir::DialectRegistry &registry);
} // namespace flywheel::linalg_ext

#endif // FLYWHEEL_DIALECT_LINALGEXT_LINALGEXT_H
