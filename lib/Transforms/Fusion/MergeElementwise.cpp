//===- MergeElementwise.cpp - Two elementwise ops in one loop -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeElementwise.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace flywheel {

linalg::GenericOp mergeElementwise(RewriterBase &rewriter,
                                   linalg::GenericOp first,
                                   linalg::GenericOp second) {
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  auto isMade = [&](OpOperand *input) {
    return input->get().getDefiningOp() == first;
  };
  for (linalg::GenericOp part : {first, second}) {
    for (OpOperand *input : part.getDpsInputOperands()) {
      if (isMade(input))
        continue;
      inputs.push_back(input->get());
      maps.push_back(part.getMatchingIndexingMap(input));
    }
    llvm::append_range(inits, part.getDpsInits());
  }
  maps.append(inits.size(),
              rewriter.getMultiDimIdentityMap(first.getNumLoops()));
  auto merged = linalg::GenericOp::create(
      rewriter, rewriter.getFusedLoc({first.getLoc(), second.getLoc()}),
      TypeRange(ValueRange(inits)), inputs, inits, maps,
      first.getIteratorTypesArray(),
      [&](OpBuilder &b, Location loc, ValueRange elements) {
        IRMapping mapping;
        SmallVector<Value> yielded;
        auto nextInput = elements.begin();
        auto nextInit = nextInput + inputs.size();
        for (linalg::GenericOp part : {first, second}) {
          for (OpOperand *input : part.getDpsInputOperands())
            mapping.map(part.getMatchingBlockArgument(input),
                        isMade(input) ? mapping.lookup(input->get())
                                      : *nextInput++);
          for (BlockArgument element : part.getRegionOutputArgs())
            mapping.map(element, *nextInit++);
          for (Operation &nested : part.getBody()->without_terminator())
            b.clone(nested, mapping);
          for (auto [result, value] : llvm::zip_equal(
                   part->getResults(),
                   part.getBody()->getTerminator()->getOperands())) {
            yielded.push_back(mapping.lookupOrDefault(value));
            mapping.map(result, yielded.back());
          }
        }
        linalg::YieldOp::create(b, loc, yielded);
      });
  FailureOr<linalg::GenericOp> smaller =
      linalg::deduplicateOperandsAndRemoveDeadResults(rewriter, merged,
                                                      /*removeOutputs=*/false);
  return succeeded(smaller) ? *smaller : merged;
}

} // namespace flywheel
