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

/// The numbers of all variables, each after those that its initial value is
/// computed from, `operands[number]`, and otherwise in order. There is no
/// cycle.
llvm::SmallVector<int64_t>
orderInitialValues(llvm::ArrayRef<llvm::SmallVector<int64_t>> operands);

} // namespace flywheel::train

#endif // FLYWHEEL_DIALECT_TRAIN_INITIALORDER_H
