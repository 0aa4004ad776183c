//===- Widenings.h - Conversions of stored numbers --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_FUSION_WIDENINGS_H
#define FLYWHEEL_LIB_TRANSFORMS_FUSION_WIDENINGS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace flywheel {

/// Returns the conversion that computes `value` element by element; null if
/// there is none.
mlir::linalg::GenericOp getConversion(mlir::Value value);

/// Returns true if `conversion` widens numbers that are stored anyway: those of
/// variables and constants, or of copies that have them in another order. If
/// the step computes the numbers, the conversion is fused with the op that
/// computes them or with another reader.
bool widensStored(mlir::linalg::GenericOp conversion);

/// Returns true if the generic op that `use` is of is not a contraction, and
/// can convert the elements that it reads as it loads them.
bool canConvertAsItLoads(mlir::OpOperand &use);

/// Moves widenings of stored numbers behind the ops that only move elements, if
/// nothing needs the wide numbers in their present order: a copy has narrow
/// numbers, and its readers can widen them. Weights with a scale that are
/// transposed for contractions are decoded after the transposition.
void moveWidenings(mlir::RewriterBase &rewriter, mlir::func::FuncOp function);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_FUSION_WIDENINGS_H
