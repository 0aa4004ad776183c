//===- Captures.cpp - Values that regions capture -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Interfaces/Captures.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

llvm::SetVector<Value> flywheel::findCaptures(MutableArrayRef<Region> regions) {
  llvm::SmallPtrSet<Region *, 8> inside;
  for (Region &region : regions) {
    inside.insert(&region);
    region.walk([&](Operation *op) {
      for (Region &nested : op->getRegions())
        inside.insert(&nested);
    });
  }
  llvm::SetVector<Value> captures;
  for (Region &region : regions)
    region.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!inside.contains(operand.getParentRegion()))
          captures.insert(operand);
    });
  return captures;
}
