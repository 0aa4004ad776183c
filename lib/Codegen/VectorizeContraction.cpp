//===- VectorizeContraction.cpp - Register-tiled FMA kernels --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction C[.., m, n] += A[.., m, k] * B[.., k, n] becomes
//
//   for each other parallel loop, then for n step nr, then for m step mr:
//     acc[mr][nr] = C or the fill value
//     for k: acc[r][:] = fma(broadcast A[r, k], B[k, :], acc[r][:])
//     C = acc
//
// where the accumulators are loop-carried vectors. Nothing is assumed about the
// maps of A and B but that A does not depend on n: strided and dilated windows
// give direct convolutions, with output columns as m and filters as n.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

namespace flywheel {

linalg::LinalgOp findPrecedingFill(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return {};
  Value output = op.getDpsInits().front();
  for (Operation *prev = op->getPrevNode(); prev; prev = prev->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(prev);
    if (fill && fill.getOutputs().front() == output &&
        fill.getInputs().front().getType() ==
            getElementTypeOrSelf(output.getType()))
      return cast<linalg::LinalgOp>(prev);
    // Allocations do not touch the contents of any buffer in use.
    if (!isMemoryEffectFree(prev) &&
        !isa<memref::AllocOp, memref::AllocaOp>(prev))
      return {};
  }
  return {};
}

namespace {

/// A contraction with its loops and operands in their roles.
struct Contraction {
  linalg::LinalgOp op;
  /// The operand that is broadcast, the one read as vectors, and the output.
  OpOperand *a = nullptr, *b = nullptr, *c = nullptr;
  AffineMap aMap, bMap, cMap;
  /// The loop along vectors, along rows if there is one, and the others.
  unsigned n = 0;
  std::optional<unsigned> m;
  SmallVector<unsigned> outer, k;
};

/// True if the body is C + A * B in floats, with A and B extended to the type
/// of C where they are narrower.
bool isMultiplyAdd(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  Value result = body->getTerminator()->getOperand(0);
  auto sum = result.getDefiningOp<arith::AddFOp>();
  BlockArgument out = body->getArgument(2);
  if (!sum || sum->getBlock() != body)
    return false;
  Value product = sum.getLhs() == out ? sum.getRhs() : sum.getLhs();
  if (product == out || (sum.getLhs() != out && sum.getRhs() != out))
    return false;
  auto multiply = product.getDefiningOp<arith::MulFOp>();
  if (!multiply || multiply->getBlock() != body)
    return false;
  auto source = [](Value factor) {
    auto extension = factor.getDefiningOp<arith::ExtFOp>();
    return extension ? extension.getIn() : factor;
  };
  Value lhs = source(multiply.getLhs()), rhs = source(multiply.getRhs());
  Value x = body->getArgument(0), y = body->getArgument(1);
  return (lhs == x && rhs == y) || (lhs == y && rhs == x);
}

/// Assigns the roles of loops and operands, the best first. Fails if there is
/// no loop along which the output is contiguous and one input is constant.
FailureOr<Contraction> matchContraction(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !isMultiplyAdd(op))
    return failure();
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<MemRefType>(operand.get().getType()))
      return failure();

  Contraction result;
  result.op = op;
  result.c = op.getDpsInitOperand(0);
  result.cMap = op.getMatchingIndexingMap(result.c);
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(result.c->get()));
  if (!element || (!element.isF32() && !element.isF64()))
    return failure();

  // Every output element must be one iteration of the parallel loops.
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  op.getReductionDims(result.k);
  if (!result.cMap.isProjectedPermutation() ||
      result.cMap.getNumResults() != parallel.size() ||
      !llvm::all_of(parallel, [&](unsigned dim) {
        return result.cMap.isFunctionOfDim(dim);
      }))
    return failure();

  auto access = [&](OpOperand *operand, unsigned dim) {
    return classifyAccess(op.getMatchingIndexingMap(operand),
                          operand->get().getType(), dim);
  };
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int bestScore = 0;
  for (unsigned dim : parallel) {
    if (access(result.c, dim) != AccessKind::Contiguous || sizes[dim] == 1)
      continue;
    for (unsigned i : {1u, 0u}) {
      OpOperand *vectors = op.getDpsInputOperand(i);
      OpOperand *scalars = op.getDpsInputOperand(1 - i);
      if (access(scalars, dim) != AccessKind::Uniform)
        continue;
      AccessKind kind = access(vectors, dim);
      int score = kind == AccessKind::Contiguous ? 3
                  : kind == AccessKind::Strided  ? 2
                                                 : 1;
      if (score <= bestScore)
        continue;
      bestScore = score;
      result.n = dim;
      result.a = scalars;
      result.b = vectors;
    }
  }
  if (!bestScore)
    return failure();
  result.aMap = op.getMatchingIndexingMap(result.a);
  result.bMap = op.getMatchingIndexingMap(result.b);

  // Rows share the vectors of B. The longest loop wins, the innermost of those.
  constexpr int64_t enoughRows = 8;
  int64_t bestRows = 0;
  for (unsigned dim : parallel) {
    if (dim == result.n || !result.aMap.isFunctionOfDim(dim) ||
        result.bMap.isFunctionOfDim(dim))
      continue;
    int64_t rows = ShapedType::isDynamic(sizes[dim])
                       ? enoughRows
                       : std::min(sizes[dim], enoughRows);
    if (rows >= bestRows) {
      bestRows = rows;
      result.m = dim;
    }
  }
  for (unsigned dim : parallel)
    if (dim != result.n && dim != result.m)
      result.outer.push_back(dim);
  return result;
}

/// Emits the kernels of one contraction.
class ContractionEmitter {
public:
  using Fold = OpFoldResult;

  ContractionEmitter(OpBuilder &builder, Contraction contraction,
                     Value fillValue, const CpuTarget &target)
      : e(builder, contraction.op.getLoc()),
        contraction(std::move(contraction)), fillValue(fillValue),
        target(target) {}

  void emit();

private:
  /// Rows of one tile: `count` from `base`, of which those below `size` exist
  /// if `size` is set, all otherwise.
  struct Rows {
    Fold base;
    int64_t count;
    Fold size;
  };
  /// Columns of one tile: one vector from each of `bases`.
  struct Columns {
    SmallVector<Fold> bases;
    SmallVector<Lanes> lanes;
  };

  void chooseTile();
  void emitColumns();
  void emitRows(const Columns &columns);
  void emitTile(const Rows &rows, const Columns &columns);
  SmallVector<Value> emitStep(const Rows &rows, const Columns &columns,
                              ValueRange accumulators);
  Columns columnsAt(Fold base, int64_t numVectors, Fold size);
  /// Moves `ivs` to row `row` of the tile.
  void atRow(const Rows &rows, int64_t row);
  Value extend(Value value);

  KernelEmitter e;
  Contraction contraction;
  Value fillValue;
  CpuTarget target;
  ContractionTile tile;
  SmallVector<Fold> sizes;
  /// The current iteration of every loop.
  SmallVector<Fold> ivs;
};

/// A constant that `size` does not exceed, if one can be proved.
static int64_t getUpperBound(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant;
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, ValueBoundsConstraintSet::Variable(size),
      /*stopCondition=*/nullptr, /*closedUB=*/true);
  return succeeded(bound) ? *bound : ShapedType::kDynamic;
}

void ContractionEmitter::chooseTile() {
  auto size = [&](unsigned dim) {
    std::optional<int64_t> constant = getConstantIntValue(sizes[dim]);
    return constant ? *constant : ShapedType::kDynamic;
  };
  Type element = getElementTypeOrSelf(contraction.c->get());
  tile = chooseContractionTile(element, target,
                               contraction.m ? size(*contraction.m) : 1,
                               size(contraction.n));
  if (!contraction.m)
    return;
  // A tile of a tiled loop: dynamic, but never above the tile size that was
  // chosen there. Take that size, so that only the last tile is partial.
  int64_t bound = getUpperBound(sizes[*contraction.m]);
  if (ShapedType::isDynamic(size(*contraction.m)) &&
      !ShapedType::isDynamic(bound))
    tile.mr =
        chooseContractionTile(element, target, bound, size(contraction.n)).mr;
}

void ContractionEmitter::emit() {
  sizes = getLoopSizes(e.b, contraction.op);
  ivs.assign(sizes.size(), e.index(0));
  chooseTile();
  e.nest(contraction.outer, sizes, ivs, {}, [&](ValueRange) {
    emitColumns();
    return SmallVector<Value>();
  });
}

ContractionEmitter::Columns
ContractionEmitter::columnsAt(Fold base, int64_t numVectors, Fold size) {
  Columns columns;
  for (int64_t i = 0; i < numVectors; ++i) {
    Fold first = e.add(base, i * tile.vectorLength);
    columns.bases.push_back(first);
    columns.lanes.push_back(size ? e.lanes(tile.vectorLength, first, size)
                                 : Lanes{tile.vectorLength, {}, {}});
  }
  return columns;
}

void ContractionEmitter::emitColumns() {
  Fold size = sizes[contraction.n];
  int64_t width = tile.numVectors() * tile.vectorLength;
  Fold end = e.alignDown(size, width);
  e.loop(e.index(0), end, width, {}, [&](Fold iv, ValueRange) {
    emitRows(columnsAt(iv, tile.numVectors(), Fold()));
    return SmallVector<Value>();
  });
  e.ifGreater(size, end, [&] {
    // As many vectors as the static remainder needs, all if it is unknown.
    int64_t numVectors = tile.numVectors();
    if (std::optional<int64_t> rest = getConstantIntValue(e.sub(size, end)))
      numVectors = llvm::divideCeil(*rest, tile.vectorLength);
    emitRows(columnsAt(end, numVectors, size));
  });
}

void ContractionEmitter::emitRows(const Columns &columns) {
  if (!contraction.m)
    return emitTile({e.index(0), 1, Fold()}, columns);
  Fold size = sizes[*contraction.m];
  Fold end = e.alignDown(size, tile.mr);
  e.loop(e.index(0), end, tile.mr, {}, [&](Fold iv, ValueRange) {
    emitTile({iv, tile.mr, Fold()}, columns);
    return SmallVector<Value>();
  });
  e.ifGreater(size, end, [&] {
    // A static rest is a smaller tile. A dynamic one computes the last row as
    // often as needed to fill the tile and stores only the rows there are.
    std::optional<int64_t> rest = getConstantIntValue(e.sub(size, end));
    if (rest)
      emitTile({end, *rest, Fold()}, columns);
    else
      emitTile({end, tile.mr, size}, columns);
  });
}

void ContractionEmitter::atRow(const Rows &rows, int64_t row) {
  if (!contraction.m)
    return;
  Fold index = e.add(rows.base, row);
  if (rows.size)
    index = e.min(index, e.add(rows.size, -1));
  ivs[*contraction.m] = index;
}

Value ContractionEmitter::extend(Value value) {
  Type element = getElementTypeOrSelf(contraction.c->get());
  if (getElementTypeOrSelf(value) == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  return arith::ExtFOp::create(e.b, e.loc, type, value);
}

SmallVector<Value> ContractionEmitter::emitStep(const Rows &rows,
                                                const Columns &columns,
                                                ValueRange accumulators) {
  SmallVector<Value> bVectors;
  for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
    ivs[contraction.n] = base;
    bVectors.push_back(extend(e.loadVector(
        contraction.b->get(), contraction.bMap, ivs, contraction.n, lanes)));
  }
  SmallVector<Value> results;
  for (int64_t row = 0; row < rows.count; ++row) {
    atRow(rows, row);
    Value scalar =
        extend(e.loadScalar(contraction.a->get(), contraction.aMap, ivs));
    Value aVector = vector::BroadcastOp::create(
        e.b, e.loc, bVectors.front().getType(), scalar);
    for (Value bVector : bVectors)
      results.push_back(vector::FMAOp::create(e.b, e.loc, aVector, bVector,
                                              accumulators[results.size()]));
  }
  return results;
}

void ContractionEmitter::emitTile(const Rows &rows, const Columns &columns) {
  Value output = contraction.c->get();
  SmallVector<Value> accumulators;
  for (int64_t row = 0; row < rows.count; ++row) {
    atRow(rows, row);
    for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
      ivs[contraction.n] = base;
      accumulators.push_back(fillValue
                                 ? e.broadcast(fillValue, tile.vectorLength)
                                 : e.loadVector(output, contraction.cMap, ivs,
                                                contraction.n, lanes));
    }
  }

  accumulators =
      e.nest(contraction.k, sizes, ivs, accumulators,
             [&](ValueRange args) { return emitStep(rows, columns, args); });

  unsigned next = 0;
  for (int64_t row = 0; row < rows.count; ++row) {
    auto store = [&] {
      for (auto [base, lanes] : llvm::zip_equal(columns.bases, columns.lanes)) {
        ivs[contraction.n] = base;
        e.storeVector(accumulators[next++], output, contraction.cMap, ivs,
                      contraction.n, lanes);
      }
    };
    atRow(rows, row);
    if (rows.size)
      e.ifGreater(rows.size, e.add(rows.base, row), store);
    else
      store();
  }
}

} // namespace

bool vectorizeContraction(RewriterBase &rewriter, linalg::LinalgOp op,
                          linalg::LinalgOp fill, const CpuTarget &target) {
  FailureOr<Contraction> contraction = matchContraction(op);
  if (failed(contraction))
    return false;
  rewriter.setInsertionPoint(op);
  Value fillValue = fill ? fill.getDpsInputOperand(0)->get() : Value();
  ContractionEmitter(rewriter, *contraction, fillValue, target).emit();
  rewriter.eraseOp(op);
  return true;
}

} // namespace flywheel
