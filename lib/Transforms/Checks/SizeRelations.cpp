//===- SizeRelations.cpp - Requirements of ops on sizes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each class of ops. `SizeAnalysis` determines the operand
// from which a result gets its sizes; this file states the requirements on the
// other operands.
//
//===----------------------------------------------------------------------===//

#include "SizeRelationReporter.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace flywheel;

void RelationReporter::equalDims(Value a, int64_t i, Value b, int64_t j,
                                 StringRef nameA, StringRef nameB) {
  equal(sizes.getSize(a, i), sizes.getSize(b, j),
        "equal " + describeEqualSizes(i, nameA, j, nameB));
}

void RelationReporter::equalShapes(Value a, Value b, StringRef nameA,
                                   StringRef nameB) {
  if (!isRanked(a) || !isRanked(b) || getRank(a) != getRank(b))
    return;
  for (int64_t dim = 0, rank = getRank(a); dim < rank; ++dim)
    equal(sizes.getSize(a, dim), sizes.getSize(b, dim),
          "equal sizes of dimension " + Twine(dim) + " of " + nameA + " and " +
              nameB);
}

void RelationReporter::equalFormula(DimSizeFormula formula, Value a, int64_t i,
                                    const Twine &what) {
  equal(sizes.getFormula(formula), sizes.getSize(a, i), "equal " + what);
}

void RelationReporter::atLeast(Value a, int64_t i, int64_t number,
                               const Twine &what, StringRef found) {
  atLeast(sizes.getSize(a, i), number, what, found);
}

void RelationReporter::countable(std::vector<SizeExpr> dims) {
  // The product of dimension sizes of existing tensors is assumed to be small
  // enough; it would take very many of them to exceed the limit.
  if (llvm::all_of(dims,
                   [&](const SizeExpr &dim) { return sizes.isOfSizes(dim); }))
    return;
  SizeRelation relation;
  relation.what = std::string("at most ") + kMaxSizeText + " elements";
  relation.found = "more";
  relation.factors = std::move(dims);
  report(relation);
}

void RelationReporter::countable(Value tensor) {
  std::vector<SizeExpr> dims;
  for (int64_t dim = 0, rank = getRank(tensor); dim < rank; ++dim)
    dims.push_back(sizes.getSize(tensor, dim));
  countable(std::move(dims));
}

void RelationReporter::nonNegative(ArrayRef<OpFoldResult> numbers,
                                   StringRef what) {
  for (auto [dim, number] : llvm::enumerate(numbers))
    atLeast(sizes.getNumber(number), 0,
            "a " + what + " of dimension " + Twine(dim) +
                " that is not negative");
}

/// Reports the sizes that the static result types require.
void RelationReporter::addResultTypes() {
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (type.isDynamicDim(dim))
        continue;
      if (std::optional<SizeExpr> size = sizes.getComputedSize(result, dim))
        report({*size,
                SizeExpr::constant(type.getDimSize(dim)),
                "dimension " + std::to_string(dim) + " of the result to be " +
                    std::to_string(type.getDimSize(dim)) + ", as its type says",
                false,
                {},
                {},
                "\1"});
    }
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Returns true if `number` is at least 1 whatever its operands are.
static bool isAtLeastOne(Value number) {
  auto largest = number.getDefiningOp<arith::MaxSIOp>();
  return largest && llvm::any_of(largest->getOperands(), [](Value operand) {
           return getConstantIntValue(operand).value_or(0) >= 1;
         });
}

/// Requires a positive step: another loop never ends.
void RelationReporter::addStep(scf::ForOp loop) {
  if (loop.getStep().getType().isIndex() && !isAtLeastOne(loop.getStep()))
    report({sizes.getNumber(loop.getStep()),
            SizeExpr::constant(1),
            "a step of 1 or more",
            true,
            {},
            {},
            "\1",
            &loop.getStepMutable()});
}

/// Requires the values of both regions of a branch to have one shape, and the
/// values that a loop carries to keep theirs.
void RelationReporter::addControlFlow() {
  std::vector<SizeExpr> unless;
  auto carried = [&](ValueRange yielded, ValueRange inits) {
    for (auto [after, before] : llvm::zip(yielded, inits)) {
      if (!isRanked(after) || !isRanked(before) ||
          getRank(after) != getRank(before))
        continue;
      for (int64_t dim = 0, rank = getRank(after); dim < rank; ++dim)
        report({sizes.getSize(after, dim),
                sizes.getSize(before, dim),
                "an iteration to keep dimension sizes",
                false,
                {},
                unless,
                "another one of dimension " + std::to_string(dim) +
                    ": \1 behind it and \2 in front"});
    }
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    addStep(loop);
    if (std::optional<SizeExpr> isUnused = sizes.getIsEmpty(loop))
      unless.push_back(*isUnused);
  }
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    carried(loop.getYieldedValues(), loop.getInits());
  else if (auto branch = dyn_cast<scf::IfOp>(op);
           branch && branch.getNumResults() != 0)
    for (auto [number, pair] : llvm::enumerate(llvm::zip(
             branch.thenYield().getResults(), branch.elseYield().getResults())))
      equalShapes(std::get<0>(pair), std::get<1>(pair),
                  "result " + std::to_string(number) + " of one branch",
                  "of the other");
}

//===----------------------------------------------------------------------===//
// Elementwise and structured ops
//===----------------------------------------------------------------------===//

void RelationReporter::addElementwise() {
  Value first;
  unsigned firstNumber = 0;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    if (!isRanked(operand))
      continue;
    if (first)
      equalShapes(first, operand, "operand " + std::to_string(firstNumber),
                  "operand " + std::to_string(number));
    else
      first = operand, firstNumber = number;
  }
}

/// Returns the largest value of `expr` over the iterations of `loops`, or the
/// smallest one if `isLargest` is false.
static std::optional<SizeExpr>
getExtreme(AffineExpr expr, ArrayRef<SizeExpr> loops, bool isLargest) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return SizeExpr::constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return isLargest ? loops[dim.getPosition()] - SizeExpr::constant(1)
                     : SizeExpr();
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    auto lhs = getExtreme(binary.getLHS(), loops, isLargest),
         rhs = getExtreme(binary.getRHS(), loops, isLargest);
    return lhs && rhs ? std::optional(*lhs + *rhs) : std::nullopt;
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() != AffineExprKind::Mul || !factor)
    return std::nullopt;
  auto lhs =
      getExtreme(binary.getLHS(), loops, isLargest == (factor.getValue() >= 0));
  return lhs ? std::optional(*lhs * SizeExpr::constant(factor.getValue()))
             : std::nullopt;
}

/// Requires dimensions that one loop iterates over to have one size, and others
/// to include all positions that are accessed.
void RelationReporter::addIndexingMaps(linalg::LinalgOp structured) {
  unsigned numLoops = structured.getNumLoops();
  SmallVector<OpOperand *> operands;
  for (OpOperand &operand : op->getOpOperands())
    if (isRanked(operand.get()))
      operands.push_back(&operand);
  auto describe = [](OpOperand *operand, int64_t dim) {
    return "dimension " + std::to_string(dim) + " of operand " +
           std::to_string(operand->getOperandNumber());
  };
  SmallVector<std::pair<OpOperand *, int64_t>> firsts(numLoops, {nullptr, 0});
  SmallVector<SizeExpr> loops(numLoops);
  for (OpOperand *operand : operands) {
    AffineMap map = structured.getMatchingIndexingMap(operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      int64_t dim = i;
      SizeExpr size = sizes.getSize(operand->get(), dim);
      auto &[first, firstDim] = firsts[loop.getPosition()];
      if (!first) {
        first = operand, firstDim = dim;
        loops[loop.getPosition()] = size;
        continue;
      }
      equal(loops[loop.getPosition()], size,
            "equal sizes of " + describe(first, firstDim) + " and " +
                describe(operand, dim));
    }
  }
  for (OpOperand *operand : operands) {
    AffineMap map = structured.getMatchingIndexingMap(operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (isa<AffineDimExpr>(expr))
        continue;
      int64_t dim = i;
      SizeExpr size = sizes.getSize(operand->get(), dim);
      std::optional<SizeExpr> largest = getExtreme(expr, loops, true),
                              least = getExtreme(expr, loops, false);
      if (!largest || !least)
        continue;
      std::string name = describe(operand, dim);
      report({size, *largest + SizeExpr::constant(1),
              name + " to hold the last position that is used", true,
              std::vector<SizeExpr>(loops.begin(), loops.end())});
      report({*least,
              SizeExpr(),
              name + " to be read from position 0 on",
              true,
              std::vector<SizeExpr>(loops.begin(), loops.end()),
              {},
              "\1"});
    }
  }
}

/// Requires the inner dimensions of a packed tensor to be the tiles.
void RelationReporter::addTiles(ArrayRef<OpFoldResult> tiles, Value packed,
                                Value plain) {
  for (auto [number, tile] : llvm::enumerate(tiles)) {
    int64_t dim = getRank(plain) + number;
    atLeast(sizes.getNumber(tile), 1, "a positive tile " + Twine(number));
    equal(sizes.getSize(packed, dim), sizes.getNumber(tile),
          "equal sizes of dimension " + Twine(dim) +
              " of the packed tensor and of tile " + Twine(number));
  }
}

/// Requires the outer dimensions of packed tensors to cover the plain ones,
/// without a spare tile.
template <typename PackOp>
static void reportOuterDims(PackOp pack, Value packed, Value plain,
                            SizeAnalysis &sizes, SizeRelationFn report,
                            bool isExact) {
  int64_t rank = getRank(plain);
  SmallVector<int64_t> order(pack.getOuterDimsPerm());
  if (order.empty())
    order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  SmallVector<SizeExpr> tiles(rank, SizeExpr::constant(1));
  for (auto [dim, tile] :
       llvm::zip(pack.getInnerDimsPos(), pack.getMixedTiles()))
    tiles[dim] = sizes.getNumber(tile);
  for (auto [outer, dim] : llvm::enumerate(order)) {
    SizeExpr covered =
        sizes.getSize(packed, static_cast<int64_t>(outer)) * tiles[dim];
    SizeExpr size = sizes.getSize(plain, dim);
    std::string name = "dimension " + std::to_string(dim);
    if (isExact) {
      report({covered, size, "tiles that make up " + name, false, {}});
      continue;
    }
    report({covered, size, "tiles that cover " + name, true, {}});
    report({size + tiles[dim] - SizeExpr::constant(1),
            covered,
            "no tiles outside of " + name,
            true,
            {}});
  }
}

void RelationReporter::addPack(linalg::PackOp pack) {
  addTiles(pack.getMixedTiles(), pack.getDest(), pack.getSource());
  reportOuterDims(pack, pack.getDest(), pack.getSource(), sizes, report,
                  !pack.getPaddingValue());
}

void RelationReporter::addUnPack(linalg::UnPackOp unpack) {
  addTiles(unpack.getMixedTiles(), unpack.getSource(), unpack.getDest());
  reportOuterDims(unpack, unpack.getSource(), unpack.getDest(), sizes, report,
                  /*isExact=*/false);
}

//===----------------------------------------------------------------------===//
// Ops on parts and shapes of tensors
//===----------------------------------------------------------------------===//

void RelationReporter::addReshapes() {
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    nonNegative(empty.getMixedSizes(), "size");
    return countable(empty.getResult());
  }
  if (isa<tensor::GenerateOp, tensor::SplatOp>(op)) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        atLeast(sizes.getSize(op->getResult(0), dim), 0,
                "a size of dimension " + Twine(dim) + " that is not negative");
    return countable(op->getResult(0));
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    nonNegative(expand.getMixedOutputShape(), "size");
    std::vector<SizeExpr> dims;
    for (OpFoldResult size : expand.getMixedOutputShape())
      dims.push_back(sizes.getNumber(size));
    countable(std::move(dims));
    for (auto [dim, group] :
         llvm::enumerate(expand.getReassociationIndices())) {
      SizeExpr product = SizeExpr::constant(1);
      std::string dims;
      for (int64_t index : group) {
        product = product * sizes.getSize(expand.getResult(), index);
        dims += (dims.empty() ? "" : ", ") + std::to_string(index);
      }
      equal(product, sizes.getSize(expand.getSrc(), dim),
            "dimensions [" + dims + "] of the result to make up dimension " +
                Twine(dim) + " of the source");
    }
    return;
  }
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
    if (!isRanked(reshape.getSource()) || !isRanked(reshape.getResult()))
      return;
    for (int64_t dim = 0, rank = getRank(reshape.getResult()); dim < rank;
         ++dim)
      if (std::optional<SizeExpr> size =
              sizes.getComputedSize(cast<OpResult>(reshape.getResult()), dim))
        atLeast(*size, 0,
                "a size of dimension " + Twine(dim) + " that is not negative");
    countable(reshape.getResult());
    equal(sizes.getNumElements(reshape.getResult()),
          sizes.getNumElements(reshape.getSource()),
          "as many elements in the result as in the source");
  }
}

void RelationReporter::addSlices() {
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    nonNegative(pad.getMixedLowPad(), "padding in front");
    nonNegative(pad.getMixedHighPad(), "padding behind");
    // Each alone, so that their sums do not overflow.
    for (OpFoldResult width : pad.getMixedLowPad())
      countable({sizes.getNumber(width)});
    for (OpFoldResult width : pad.getMixedHighPad())
      countable({sizes.getNumber(width)});
    return countable(pad.getResult());
  }
  // Others are for `flywheel-check-slices`: these fold to a type that is none.
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
      if (SizeExpr number = sizes.getNumber(size);
          number.getConstant().value_or(0) < 0)
        atLeast(number, 0,
                "a size of dimension " + Twine(dim) + " that is not negative");
    return;
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    int64_t sourceDim = 0;
    for (auto [dim, size] : llvm::enumerate(insert.getMixedSizes())) {
      if (dropped.test(dim))
        continue;
      equal(sizes.getNumber(size), sizes.getSize(insert.getSource(), sourceDim),
            "equal sizes of dimension " + Twine(dim) +
                " of the slice and dimension " + Twine(sourceDim) +
                " of the source");
      ++sourceDim;
    }
    return;
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    Value first = concat.getInputs().front();
    for (auto [number, input] : llvm::enumerate(concat.getInputs()))
      for (int64_t dim = 0; number > 0 && dim < getRank(first); ++dim)
        if (dim != static_cast<int64_t>(concat.getDim()))
          equal(sizes.getSize(first, dim), sizes.getSize(input, dim),
                "equal sizes of dimension " + Twine(dim) +
                    " of operands 0 and " + Twine(number));
    return;
  }
  if (auto store = dyn_cast<linalg_ext::StoreOp>(op))
    equalShapes(store.getSource(), store.getDestination(), "the source",
                "the destination");
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

/// Requires a cotangent to have the shape of its value.
void RelationReporter::addDerivatives() {
  auto addAll = [&](ValueRange values, ValueRange derivatives, StringRef what,
                    StringRef name) {
    for (auto [number, pair] : llvm::enumerate(llvm::zip(values, derivatives)))
      equalShapes(std::get<0>(pair), std::get<1>(pair),
                  (what + " " + Twine(number)).str(), name);
  };
  if (auto gradient = dyn_cast<train::GradientOp>(op))
    addAll(gradient.getYs(), gradient.getGradYs(), "differentiated value",
           "its weight");
  else if (auto jvp = dyn_cast<train::JvpOp>(op))
    addAll(jvp.getXs(), jvp.getTangents(), "input", "its tangent");
  else if (auto rule = dyn_cast<train::CustomVjpOp>(op)) {
    SmallVector<Value> inputs;
    llvm::copy_if(rule.getInputs(), std::back_inserter(inputs),
                  [](Value value) {
                    return isa<FloatType>(getElementTypeOrSelf(value));
                  });
    addAll(inputs, rule.getVjp().front().getTerminator()->getOperands(),
           "input", "the cotangent that the rule gives");
  }
}

void RelationReporter::run() {
  addResultTypes();
  addControlFlow();
  addReshapes();
  addSlices();
  addDerivatives();
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return addIndexingMaps(structured);
  if (auto pack = dyn_cast<linalg::PackOp>(op))
    return pack.hasPureTensorSemantics() ? addPack(pack) : void();
  if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
    return unpack.hasPureTensorSemantics() ? addUnPack(unpack) : void();
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
    return equalShapes(softmax.getInput(), softmax.getOutput(), "the input",
                       "the output");
  // Buffers are those of tensors that have been checked.
  if (auto sized = dyn_cast<SizeRelationsOpInterface>(op);
      sized &&
      llvm::none_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
    sized.relateSizes(*this);
  if (op->hasTrait<OpTrait::Elementwise>() ||
      op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
      op->hasTrait<OpTrait::SameOperandsAndResultType>())
    addElementwise();
}

void flywheel::forEachSizeRelation(Operation *op, SizeAnalysis &sizes,
                                   SizeRelationFn report) {
  RelationReporter(op, sizes, report).run();
}
