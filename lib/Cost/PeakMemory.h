//===- PeakMemory.h - The most memory that tensors take ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_COST_PEAKMEMORY_H
#define FLYWHEEL_LIB_COST_PEAKMEMORY_H

#include "EntrySizes.h"

namespace flywheel {

struct PeakMemory {
  CostExpr bytes;
  /// The largest tensors that are there then, the largest first.
  std::vector<std::pair<mlir::Value, CostExpr>> largest;
};

/// The memory that the tensors of a function take, if each is there from the op
/// that makes it to the last one that uses it. Variables, feeds and constants
/// are not counted; a view is what it shows; a result that has a destination is
/// in it. Sizes that are not known are compared as if they were 1024.
PeakMemory findPeakMemory(mlir::func::FuncOp function, EntrySizes &sizes);

} // namespace flywheel

#endif // FLYWHEEL_LIB_COST_PEAKMEMORY_H
