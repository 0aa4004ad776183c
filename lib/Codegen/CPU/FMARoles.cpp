//===- FMARoles.cpp - Roles of the loops of a contraction -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FMASchedule.h"

#include "FusedTiles.h"
#include "KernelEmitter.h"
#include "WeightDecoder.h"

#include "flywheel/Analysis/AccessMaps.h"
#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Support/CheckedSize.h"

using namespace mlir;

namespace flywheel {

/// The largest number of rows of several loops that a schedule may have.
static constexpr int64_t kMaxUnrolledRows = 256;

/// Returns the type of the factors that the body of `op`, a contraction, reads
/// from `input`: that of its elements, or the type to which they are narrowed.
static Type getFactorType(linalg::LinalgOp op, OpOperand *input) {
  Operation *narrowing = getNarrowingOf(op.getMatchingBlockArgument(input));
  return narrowing ? narrowing->getResult(0).getType()
                   : getElementTypeOrSelf(input->get());
}

bool canUsePairs(linalg::LinalgOp op, codegen::CPUAttr cpu) {
  StringAttr feature = StringAttr::get(op.getContext(), "avx512bf16");
  return cpu && llvm::is_contained(cpu.getFeatures(), feature) &&
         !subtractsProducts(op) &&
         getElementTypeOrSelf(op.getDpsInits()[0]).isF32() &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return getFactorType(op, input).isBF16();
         });
}

bool savesMemoryInTiles(linalg::LinalgOp op) {
  if (!isContraction(op) || !op.hasPureTensorSemantics())
    return false;
  if (readsDecodedWeights(op))
    return true;
  linalg::GenericOp user = findElementwiseUser(op);
  int64_t bytes = getElementBytes(getElementTypeOrSelf(op->getResult(0)));
  return user && llvm::any_of(user->getResultTypes(), [&](Type type) {
           return getElementBytes(getElementTypeOrSelf(type)) < bytes;
         });
}

bool narrowsInput(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return getNarrowingOf(op.getMatchingBlockArgument(input)) != nullptr;
  });
}

bool hasFMAKernel(linalg::LinalgOp op) {
  if (!isContraction(op))
    return false;
  if (op.hasPureBufferSemantics() && narrowsInput(op))
    return false;
  Type element = getElementTypeOrSelf(op.getDpsInits()[0]);
  return element.isF32() || element.isF64();
}

std::pair<OpOperand *, OpOperand *> getFactors(linalg::LinalgOp op,
                                               unsigned columns) {
  OpOperand *first = op.getDpsInputOperand(0),
            *second = op.getDpsInputOperand(1);
  return op.getMatchingIndexingMap(first).isFunctionOfDim(columns)
             ? std::pair(second, first)
             : std::pair(first, second);
}

/// Fails with a reason if the operands of `contraction` do not have the roles
/// that `schedule` gives them.
static LogicalResult
verifyOperands(const Contraction &contraction, codegen::FMAAttr schedule,
               function_ref<LogicalResult(const Twine &)> refuse) {
  Type aType = contraction.a->get().getType();
  if (contraction.readsLanes() &&
      (schedule.getPairs() ||
       classifyAccess(contraction.aMap, aType, contraction.n) !=
           AccessKind::Contiguous))
    return refuse("expected an input that is constant along loop " +
                  Twine(contraction.n) + ", found none");
  if (!contraction.bMap.isFunctionOfDim(contraction.n))
    return refuse("expected an input that is read along loop " +
                  Twine(contraction.n) + ", found none");
  for (AffineMap map : {contraction.aMap, contraction.bMap})
    if (contraction.along && !map.isFunctionOfDim(*contraction.along))
      return refuse("expected inputs that are read along loop " +
                    Twine(*contraction.along) + ", found one that is not");
  if (schedule.getPairs() &&
      !canUsePairs(contraction.op, codegen::lookupCPU(contraction.op)))
    return refuse("expected a target with avx512bf16, and products of bf16 "
                  "that are added to f32, to multiply pairs");
  if (schedule.getPack() && !contraction.bMap.isProjectedPermutation())
    return refuse("expected a panel of an input that is indexed by loops, one "
                  "for each dimension");
  if (schedule.getWorkers() != 1)
    return refuse("expected one worker, as tiles are computed one after the "
                  "other; found " +
                  Twine(schedule.getWorkers()));
  return success();
}

/// Fails with a reason if the loops of `contraction`, of these sizes, cannot be
/// the tiles and rows that `schedule` asks for.
static LogicalResult
verifyLoops(const Contraction &contraction, codegen::FMAAttr schedule,
            ArrayRef<int64_t> sizes,
            function_ref<LogicalResult(const Twine &)> refuse) {
  if (!schedule.getTiles().empty() && !hasTileableMaps(contraction.op))
    return refuse("expected operands that are indexed by sums of loops, times "
                  "constants that are not negative, to compute it in tiles");
  if (!schedule.getTiles().empty() && llvm::is_contained(sizes, 0))
    return refuse("expected iterations to compute in tiles, found none");
  CheckedSize numRows = 1;
  bool isUnrolled = contraction.rows.size() > 1;
  for (unsigned loop : contraction.rows) {
    if (contraction.bMap.isFunctionOfDim(loop))
      return refuse("expected rows that share the vectors along loop " +
                    Twine(contraction.n) + ", found loop " + Twine(loop));
    if (!isUnrolled)
      continue;
    if (ShapedType::isDynamic(sizes[loop]))
      return refuse("expected several loops along rows to be of static size, "
                    "found loop " +
                    Twine(loop));
    numRows *= schedule.getTileSize(loop, sizes[loop]);
  }
  if (numRows.getSaturated() > kMaxUnrolledRows)
    return refuse("expected at most " + Twine(kMaxUnrolledRows) +
                  " rows of several loops, which are all unrolled; found " +
                  Twine(numRows.getSaturated()));
  return success();
}

FailureOr<Contraction> getContraction(linalg::LinalgOp op,
                                      codegen::FMAAttr schedule,
                                      EmitMisfit emitMisfit) {
  auto refuse = [&](const Twine &text) -> LogicalResult {
    if (emitMisfit)
      emitMisfit() << text;
    return failure();
  };
  if (!hasFMAKernel(op))
    return refuse("expected C + A * B in the body, with C of f32 or f64");
  Contraction result;
  result.op = op;
  result.n = schedule.getColumns();
  if (std::optional<int64_t> along = schedule.getAlong())
    result.along = *along;
  result.pairs = schedule.getPairs();
  result.block = schedule.getBlock();
  ArrayRef<int64_t> rows = schedule.getRows();
  std::tie(result.a, result.b) = getFactors(op, result.n);
  // If both are read along the columns, rows share B.
  if (!rows.empty() &&
      op.getMatchingIndexingMap(result.a).isFunctionOfDim(result.n) &&
      op.getMatchingIndexingMap(result.b).isFunctionOfDim(rows.front()))
    std::swap(result.a, result.b);
  result.c = op.getDpsInitOperand(0);
  result.aMap = op.getMatchingIndexingMap(result.a);
  result.bMap = op.getMatchingIndexingMap(result.b);
  result.cMap = op.getMatchingIndexingMap(result.c);
  result.rows.assign(rows.begin(), rows.end());
  if (failed(verifyOperands(result, schedule, refuse)) ||
      failed(verifyLoops(result, schedule, getStaticLoopSizes(op), refuse)))
    return failure();
  SmallVector<unsigned> parallel, reductions;
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  for (unsigned loop : parallel)
    if (loop != result.n && !llvm::is_contained(result.rows, loop))
      result.outer.push_back(loop);
  DenseI64ArrayAttr passes = schedule.getPasses();
  for (unsigned loop : reductions)
    if (loop != result.along)
      (passes && llvm::is_contained(passes.asArrayRef(), int64_t(loop))
           ? result.passes
           : result.k)
          .push_back(loop);
  if (result.block && result.k.size() != 1)
    return refuse("expected one reduction to take in blocks, found " +
                  Twine(result.k.size()));
  return result;
}

} // namespace flywheel
