//===- LeastSquares.h - Syntax of train.least_squares -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_IR_LEASTSQUARES_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_IR_LEASTSQUARES_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

/// `regularizer` and a scalar tensor, which becomes `damping`, or a number.
/// Without them, the number is the default.
mlir::ParseResult
parseRegularizer(mlir::OpAsmParser &parser,
                 std::optional<mlir::OpAsmParser::UnresolvedOperand> &damping,
                 mlir::FloatAttr &regularizer);

void printRegularizer(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::Value damping, mlir::FloatAttr regularizer);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_IR_LEASTSQUARES_H
