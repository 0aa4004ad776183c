//===- CheckedValues.h - What the checks of a step are about ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_MEMORY_CHECKEDVALUES_H
#define FLYWHEEL_LIB_TRANSFORMS_MEMORY_CHECKEDVALUES_H

#include "mlir/IR/Value.h"

namespace flywheel {

/// Returns true if the condition of a check depends on elements of buffers, and
/// no comparison in it on dimension sizes alone: a program for the same values
/// that is compiled for their sizes fails as well. A condition that is constant
/// is about sizes, which were known.
bool isOfData(mlir::Value condition);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_MEMORY_CHECKEDVALUES_H
