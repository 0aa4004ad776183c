//===- NN.h - The nn dialect ------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_NN_NN_H
#define FLYWHEEL_DIALECT_NN_NN_H

#include "flywheel/Interfaces/BatchableOpInterface.h"
#include "flywheel/Interfaces/CompositeOpInterface.h"
#include "flywheel/Interfaces/CostOpInterface.h"
#include "flywheel/Interfaces/DifferentiableOpInterface.h"
#include "flywheel/Interfaces/LowerableOpInterface.h"
#include "flywheel/Interfaces/SizeOpInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "flywheel/Dialect/NN/NNDialect.h.inc"
#include "flywheel/Dialect/NN/NNEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "flywheel/Dialect/NN/NNAttributes.h.inc"

#include "flywheel/Dialect/NN/ShapeRules.h"
#include "flywheel/Dialect/NN/Window.h"

#define GET_OP_CLASSES
#include "flywheel/Dialect/NN/NNOps.h.inc"

namespace flywheel::nn {
/// Checks that `op` may compute with `type`, of an operand or a result: a
/// tensor without encoding, or a number, of f16, bf16, f32, f64 or a signless
/// integer type.
llvm::LogicalResult verifyComputable(mlir::Operation *op, mlir::Type type);
} // namespace flywheel::nn

#endif // FLYWHEEL_DIALECT_NN_NN_H
