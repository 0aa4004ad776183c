//===- InitialOrder.h - Which initial value comes first ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_INITIALORDER_H
#define FLYWHEEL_DIALECT_TRAIN_INITIALORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace flywheel::train {

/// Returns the numbers of all variables. Each one follows those from which its
/// initial value is computed, `operands[number]`; otherwise they are in order.
/// There must be no cycle.
llvm::SmallVector<int64_t>
orderInitialValues(llvm::ArrayRef<llvm::SmallVector<int64_t>> operands);

} // namespace flywheel::train

#endif // FLYWHEEL_DIALECT_TRAIN_INITIALORDER_H
