//===- LeastSquares.h - Syntax of train.least_squares -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_IR_LEASTSQUARES_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_IR_LEASTSQUARES_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

/// Parses the clauses between the starts and the types, in any order. The
/// operand of `regularizer` is a scalar tensor, stored in `damping`, or a
/// number.
mlir::ParseResult parseLeastSquaresClauses(
    mlir::OpAsmParser &parser, mlir::ArrayAttr &variables,
    mlir::IntegerAttr &maxIterations,
    std::optional<mlir::OpAsmParser::UnresolvedOperand> &damping,
    mlir::FloatAttr &regularizer, mlir::FloatAttr &multiplier,
    OnFailureAttr &onFailure, JacobianModeAttr &jacobian, SolverAttr &solver,
    mlir::IntegerAttr &cgIterations, mlir::FloatAttr &cgTolerance,
    mlir::UnitAttr &history);

void printLeastSquaresClauses(
    mlir::OpAsmPrinter &printer, LeastSquaresOp op, mlir::ArrayAttr variables,
    mlir::IntegerAttr maxIterations, mlir::Value damping,
    mlir::FloatAttr regularizer, mlir::FloatAttr multiplier,
    OnFailureAttr onFailure, JacobianModeAttr jacobian, SolverAttr solver,
    mlir::IntegerAttr cgIterations, mlir::FloatAttr cgTolerance,
    mlir::UnitAttr history);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_IR_LEASTSQUARES_H
