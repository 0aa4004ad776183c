//===- InitialOrder.cpp - Order of initial values -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/InitialOrder.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

llvm::SmallVector<int64_t> flywheel::train::orderInitialValues(
    llvm::ArrayRef<llvm::SmallVector<int64_t>> operands) {
  llvm::SmallVector<int64_t> order;
  llvm::SmallVector<bool> visited(operands.size(), false);
  // The stack holds a variable twice: to visit the variables that it needs, and
  // then to place it.
  llvm::SmallVector<std::pair<int64_t, bool>> stack;
  for (size_t root = 0; root < operands.size(); ++root) {
    stack.push_back({static_cast<int64_t>(root), false});
    while (!stack.empty()) {
      auto [number, isPlaced] = stack.pop_back_val();
      if (isPlaced) {
        order.push_back(number);
        continue;
      }
      if (std::exchange(visited[number], true))
        continue;
      stack.push_back({number, true});
      for (int64_t operand : llvm::reverse(operands[number]))
        stack.push_back({operand, false});
    }
  }
  return order;
}
