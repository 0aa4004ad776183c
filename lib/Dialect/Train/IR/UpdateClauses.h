//===- UpdateClauses.h - Syntax of the clauses of updates -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `custom<Clause>` reads the value of a clause behind its keyword. ODS' own
// parser of an optional attribute accepts a missing value, and drops the
// clause.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_DIALECT_TRAIN_IR_UPDATECLAUSES_H
#define FLYWHEEL_LIB_DIALECT_TRAIN_IR_UPDATECLAUSES_H

#include "flywheel/Dialect/Train/Train.h"

namespace flywheel::train {

// Each one parses the value behind `keyword`, and reports at its place the
// value that was expected.
mlir::ParseResult parseClause(mlir::OpAsmParser &parser, mlir::FloatAttr &value,
                              llvm::StringRef keyword);
mlir::ParseResult parseClause(mlir::OpAsmParser &parser,
                              mlir::IntegerAttr &value,
                              llvm::StringRef keyword);
mlir::ParseResult parseClause(mlir::OpAsmParser &parser,
                              mlir::FlatSymbolRefAttr &value,
                              llvm::StringRef keyword);
/// Parses a list of variables.
mlir::ParseResult parseClause(mlir::OpAsmParser &parser, mlir::ArrayAttr &value,
                              llvm::StringRef keyword);
mlir::ParseResult parseClause(mlir::OpAsmParser &parser,
                              ScheduleAttrInterface &value,
                              llvm::StringRef keyword);
mlir::ParseResult parseClause(mlir::OpAsmParser &parser, LossScaleAttr &value,
                              llvm::StringRef keyword);
mlir::ParseResult parseClause(mlir::OpAsmParser &parser, SparseFormAttr &value,
                              llvm::StringRef keyword);
mlir::ParseResult parseClause(mlir::OpAsmParser &parser,
                              UnconnectedVariableAttr &value,
                              llvm::StringRef keyword);

/// Prints the value alone: the keyword is a part of the format.
void printClause(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 mlir::Attribute value, llvm::StringRef keyword);
void printClause(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 SparseFormAttr value, llvm::StringRef keyword);
void printClause(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                 UnconnectedVariableAttr value, llvm::StringRef keyword);

// One operand or more behind a keyword, which ODS' own parser of optional ones
// lets be none.
mlir::ParseResult parseClauseOperand(
    mlir::OpAsmParser &parser,
    std::optional<mlir::OpAsmParser::UnresolvedOperand> &operand);
mlir::ParseResult parseClauseOperands(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);
void printClauseOperand(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        mlir::Value operand);
void printClauseOperands(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         mlir::OperandRange operands);

} // namespace flywheel::train

#endif // FLYWHEEL_LIB_DIALECT_TRAIN_IR_UPDATECLAUSES_H
