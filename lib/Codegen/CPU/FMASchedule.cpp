//===- FMASchedule.cpp - How a contraction is computed --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FMASchedule.h"

#include "FMAChoice.h"
#include "WeightDecoder.h"

#include "flywheel/Analysis/Contraction.h"

using namespace mlir;

namespace flywheel {

/// The assumed size of a dynamic loop.
static constexpr int64_t kTypicalSize = 64;
/// Steps of a reduction that take less time than to write C.
static constexpr int64_t kFewSteps = 4;

FMAChoice::FMAChoice(linalg::LinalgOp op, codegen::CPUAttr cpu)
    : op(op), cpu(cpu), sizes(getStaticLoopSizes(op)) {
  contraction.op = op;
  contraction.pairs = canUsePairs(op, cpu);
  contraction.c = op.getDpsInitOperand(0);
  contraction.cMap = op.getMatchingIndexingMap(contraction.c);
  op.getReductionDims(contraction.k);
  op.getParallelDims(parallel);
}

AccessKind FMAChoice::access(OpOperand *operand, unsigned loop) const {
  linalg::LinalgOp handle = op;
  return classifyAccess(handle.getMatchingIndexingMap(operand),
                        operand->get().getType(), loop);
}

int64_t FMAChoice::estimateSize(unsigned loop) const {
  return ShapedType::isDynamic(sizes[loop]) ? kTypicalSize : sizes[loop];
}

bool FMAChoice::isShort() const {
  return contraction.k.size() == 1 &&
         estimateSize(contraction.k.front()) <= kFewSteps;
}

bool FMAChoice::hasContiguousRows() const {
  return contraction.rows.size() == 1 &&
         access(contraction.a, contraction.rows.front()) ==
             AccessKind::Contiguous;
}

bool FMAChoice::isDecoded() const { return readsDecodedWeights(op); }

int64_t FMAChoice::countRows() const {
  int64_t rows = 1;
  for (unsigned loop : contraction.rows) {
    if (ShapedType::isDynamic(sizes[loop]))
      return ShapedType::kDynamic;
    rows *= sizes[loop];
  }
  return rows;
}

codegen::FMAAttr chooseFMASchedule(linalg::LinalgOp op, codegen::CPUAttr cpu) {
  if (!hasFMAKernel(op))
    return {};
  FMAChoice choice(op, cpu);
  if (!chooseRoles(choice))
    return {};
  divideReduction(choice);
  SmallVector<DenseI64ArrayAttr> tiles = chooseTiles(choice);
  // Only tiling moves a narrowing out of the body.
  if (tiles.empty() && narrowsInput(op))
    return {};
  MLIRContext *context = op.getContext();
  auto toAttr = [&](ArrayRef<unsigned> loops) {
    return DenseI64ArrayAttr::get(
        context, SmallVector<int64_t>(loops.begin(), loops.end()));
  };
  const Contraction &contraction = choice.contraction;
  return codegen::FMAAttr::get(
      context, tiles, toAttr(contraction.rows), contraction.n,
      DenseI64ArrayAttr::get(context, {choice.tile.mr, choice.tile.nr}),
      contraction.along ? std::optional<int64_t>(*contraction.along)
                        : std::nullopt,
      contraction.passes.empty() ? DenseI64ArrayAttr()
                                 : toAttr(contraction.passes),
      contraction.block, contraction.pairs, choice.pack, /*workers=*/1);
}

} // namespace flywheel
