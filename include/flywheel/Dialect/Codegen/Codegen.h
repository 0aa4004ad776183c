//===- Codegen.h - The codegen dialect --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_CODEGEN_CODEGEN_H
#define FLYWHEEL_DIALECT_CODEGEN_CODEGEN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "flywheel/Dialect/Codegen/CodegenDialect.h.inc"
#include "flywheel/Dialect/Codegen/CodegenInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "flywheel/Dialect/Codegen/CodegenAttributes.h.inc"

#define GET_OP_CLASSES
#include "flywheel/Dialect/Codegen/CodegenOps.h.inc"

namespace flywheel::codegen {

/// The CPU that the module around `op` is compiled for. Emits an error at `op`
/// and returns null if the module has none, or is not for a CPU.
CPUAttr getCPU(mlir::Operation *op);

/// Returns the same without an error; null if there is none.
CPUAttr lookupCPU(mlir::Operation *op);
/// Returns the GPU that the module around `op` is compiled for; null if it has
/// none.
GPUAttr lookupGPU(mlir::Operation *op);
/// Returns the machine that the module around `op` is compiled for, of any
/// kind; null if no module around it has one.
TargetAttrInterface lookupTarget(mlir::Operation *op);

/// The schedule of `op`, or null.
ScheduleAttrInterface getSchedule(mlir::Operation *op);
void setSchedule(mlir::Operation *op, ScheduleAttrInterface schedule);

} // namespace flywheel::codegen

#endif // FLYWHEEL_DIALECT_CODEGEN_CODEGEN_H
