//===- StoredNumbers.h - Numbers of variables and constants -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_STATE_STOREDNUMBERS_H
#define FLYWHEEL_TRANSFORMS_STATE_STOREDNUMBERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Returns true if each element of the only result of `op` is computed once,
/// from one element of its only input.
bool mapsElements(mlir::linalg::GenericOp op);

/// Returns the operands whose elements are those of the only result of `op`, an
/// op that computes nothing; none for other ops.
llvm::SmallVector<mlir::OpOperand *> getMoved(mlir::Operation *op);

/// Returns true if `value` has numbers of variables or constants, in any order.
bool isStored(mlir::Value value);

} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_STATE_STOREDNUMBERS_H
