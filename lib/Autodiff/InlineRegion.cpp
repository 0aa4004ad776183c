//===- InlineRegion.cpp - Copies of blocks --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/InlineRegion.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace flywheel {

SmallVector<Value> cloneBlock(OpBuilder &builder, Block &block,
                              ValueRange arguments) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

} // namespace flywheel
