//===- BlockEmitter.cpp - Structured ops by the threads of a block --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "GroupAccesses.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {

/// Results of one op that are added up as trees, each with 2 KB of workgroup
/// memory at most.
static constexpr size_t kMaxTrees = 8;

BlockEmitter::BlockEmitter(gpu::LaunchOp launch) : launch(launch) {
  OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
  thread = gpu::ThreadIdOp::create(b, launch.getLoc(), gpu::Dimension::x);
}

void BlockEmitter::emitBarrier(OpBuilder &b, Location loc) {
  gpu::BarrierOp::create(b, loc);
}

Value BlockEmitter::allocateScratch(OpBuilder &b, Location loc,
                                    ArrayRef<int64_t> shape, Type element) {
  MLIRContext *context = element.getContext();
  auto space =
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get(shape, element, AffineMap(), space);
  int64_t offset = llvm::alignTo(usedBytes, kWorkgroupAlignment);
  usedBytes = offset + type.getNumElements() * getElementBytes(element);
  auto arenaType =
      MemRefType::get({usedBytes}, b.getI8Type(), AffineMap(), space);
  if (!arena)
    arena = launch.addWorkgroupAttribution(arenaType, launch.getLoc());
  else if (cast<MemRefType>(arena.getType()).getNumElements() < usedBytes)
    arena.setType(arenaType);
  Value begin = arith::ConstantIndexOp::create(b, loc, offset);
  return memref::ViewOp::create(b, loc, type, arena, begin, ValueRange());
}

Value BlockEmitter::allocatePrivate(OpBuilder &b, Location loc,
                                    MemRefType type) {
  usedBytes = privateBytes;
  Value buffer =
      allocateScratch(b, loc, type.getShape(), type.getElementType());
  privateBytes = usedBytes;
  return buffer;
}

/// The least power of two that is not below `number`.
static int64_t roundUpToPower(int64_t number) {
  return static_cast<int64_t>(llvm::PowerOf2Ceil(number));
}

/// The iterations of `dims` together, where all are known.
static std::optional<int64_t> countStatically(ArrayRef<int64_t> sizes,
                                              ArrayRef<unsigned> dims) {
  int64_t product = 1;
  for (unsigned dim : dims) {
    if (ShapedType::isDynamic(sizes[dim]))
      return std::nullopt;
    product *= sizes[dim];
  }
  return product;
}

void BlockEmitter::emit(OpBuilder &b, linalg::LinalgOp op, Value init) {
  ThreadEmitter threads(op, b);
  usedBytes = privateBytes;
  if (isContraction(op) && reusesInputs(op))
    return emitContraction(threads, init);
  if (!threads.reductions.empty())
    if (SmallVector<Operation *> combiners = matchCombiners(op);
        !combiners.empty() && combiners.size() <= kMaxTrees)
      return emitTree(threads, init, combiners);
  emitElements(threads, init);
}

void BlockEmitter::emitElements(ThreadEmitter &threads, Value init) {
  OpBuilder &b = threads.b;
  auto loop = scf::ForOp::create(b, threads.loc, thread,
                                 threads.count(threads.parallel),
                                 threads.index(kGroupBlockSize));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  threads.setIndices(threads.parallel, loop.getInductionVar());
  threads.emitElement(init);
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

void BlockEmitter::emitTree(ThreadEmitter &threads, Value init,
                            ArrayRef<Operation *> combiners) {
  linalg::LinalgOp op = threads.op;
  OpBuilder &b = threads.b;
  Location loc = threads.loc;
  SmallVector<int64_t> sizes = getStaticLoopSizes(op);
  // How many threads share a result: all have work, none more than it needs.
  std::optional<int64_t> results = countStatically(sizes, threads.parallel);
  std::optional<int64_t> terms = countStatically(sizes, threads.reductions);
  int64_t lanes =
      kGroupBlockSize / std::clamp<int64_t>(roundUpToPower(results.value_or(8)),
                                            1, kGroupBlockSize);
  if (terms)
    lanes = std::min(lanes, roundUpToPower(std::max<int64_t>(*terms, 1)));
  if (lanes == 1)
    return emitElements(threads, init);
  int64_t slots = kGroupBlockSize / lanes;
  bool isAlongMemory = reducesAlongMemory(op);
  Value lane, slot;
  if (isAlongMemory) {
    lane = arith::RemUIOp::create(b, loc, thread, threads.index(lanes));
    slot = arith::DivUIOp::create(b, loc, thread, threads.index(lanes));
  } else {
    slot = arith::RemUIOp::create(b, loc, thread, threads.index(slots));
    lane = arith::DivUIOp::create(b, loc, thread, threads.index(slots));
  }
  Value numResults = threads.count(threads.parallel);
  Value numTerms = threads.count(threads.reductions);

  auto loop = scf::ForOp::create(b, loc, threads.index(0), numResults,
                                 threads.index(slots));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value result = arith::AddIOp::create(b, loc, loop.getInductionVar(), slot);
  Value isResult = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         result, numResults);
  SmallVector<Value> neutrals, partial;
  for (Operation *combiner : combiners)
    neutrals.push_back(
        arith::ConstantOp::create(b, loc, *arith::getNeutralElement(combiner)));
  // A thread without a result has no terms.
  Value end =
      arith::SelectOp::create(b, loc, isResult, numTerms, threads.index(0));
  threads.setIndices(threads.parallel, result);
  auto partials =
      scf::ForOp::create(b, loc, lane, end, threads.index(lanes), neutrals);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(partials.getBody());
    threads.setIndices(threads.reductions, partials.getInductionVar());
    scf::YieldOp::create(b, loc,
                         threads.emitBody(partials.getRegionIterArgs()));
  }
  SmallVector<Value> buffers;
  for (Value value : partials.getResults()) {
    buffers.push_back(
        allocateScratch(b, loc, {kGroupBlockSize}, value.getType()));
    memref::StoreOp::create(b, loc, value, buffers.back(), thread);
  }
  auto join = [&](Operation *combiner, Value lhs, Value rhs) {
    Operation *clone = b.clone(*combiner);
    clone->setOperands({lhs, rhs});
    return clone->getResult(0);
  };
  int64_t stride = isAlongMemory ? 1 : slots;
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    emitBarrier(b, loc);
    Value isJoining = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                            lane, threads.index(half));
    auto branch = scf::IfOp::create(b, loc, isJoining);
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value other =
        arith::AddIOp::create(b, loc, thread, threads.index(half * stride));
    for (auto [combiner, buffer] : llvm::zip_equal(combiners, buffers)) {
      Value sum = join(combiner, memref::LoadOp::create(b, loc, buffer, thread),
                       memref::LoadOp::create(b, loc, buffer, other));
      memref::StoreOp::create(b, loc, sum, buffer, thread);
    }
  }
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane,
                                        threads.index(0));
  auto branch = scf::IfOp::create(
      b, loc, arith::AndIOp::create(b, loc, isFirst, isResult));
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (auto [number, out] : llvm::enumerate(op.getDpsInitsMutable())) {
      Value start = init ? init : threads.load(out);
      Value sum = memref::LoadOp::create(b, loc, buffers[number], thread);
      threads.store(join(combiners[number], start, sum), out);
    }
  }
  // The scratch memory is free for what comes next.
  emitBarrier(b, loc);
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// A contraction as products of matrices: which loops are along what, and how
/// many rows and columns a block and a thread compute.
struct BlockEmitter::Tile {
  SmallVector<unsigned> batch, rows, columns;
  int64_t blockRows = 64, blockColumns = 64, depth = 16;
  int64_t threadRows = 4, threadColumns = 4;
};

/// `sum`, with a multiplication and an addition in it as one operation.
static Value fuseMultiplyAdd(OpBuilder &b, Value sum) {
  Operation *add = sum.getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::SubFOp>(add) ||
      !(sum.getType().isF32() || sum.getType().isF64()))
    return sum;
  bool isSubtraction = isa<arith::SubFOp>(add);
  for (unsigned i : {1, 0}) {
    auto product = add->getOperand(i).getDefiningOp<arith::MulFOp>();
    if (!product || (isSubtraction && i == 0))
      continue;
    Value lhs = product.getLhs();
    if (isSubtraction)
      lhs = arith::NegFOp::create(b, add->getLoc(), lhs);
    return math::FmaOp::create(b, add->getLoc(), lhs, product.getRhs(),
                               add->getOperand(1 - i));
  }
  return sum;
}

/// Whether the last dimension of `operand` is along a loop of `dims`.
static bool isLastAlong(linalg::LinalgOp op, OpOperand *operand,
                        ArrayRef<unsigned> dims) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (map.getNumResults() == 0)
    return false;
  return llvm::any_of(dims, [&](unsigned dim) {
    return map.getResults().back().isFunctionOfDim(dim);
  });
}

void BlockEmitter::emitContraction(ThreadEmitter &threads, Value init) {
  linalg::LinalgOp op = threads.op;
  OpBuilder &b = threads.b;
  Location loc = threads.loc;
  Tile tile;
  AffineMap lhs = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap rhs = op.getMatchingIndexingMap(op.getDpsInputOperand(1));
  for (unsigned dim : threads.parallel) {
    bool inLhs = lhs.isFunctionOfDim(dim), inRhs = rhs.isFunctionOfDim(dim);
    (inLhs == inRhs ? tile.batch
     : inLhs        ? tile.rows
                    : tile.columns)
        .push_back(dim);
  }
  SmallVector<int64_t> sizes = getStaticLoopSizes(op);
  int64_t rows = countStatically(sizes, tile.rows).value_or(64);
  int64_t columns = countStatically(sizes, tile.columns).value_or(64);
  // 16 x 16 threads, with up to 8 x 8 results each.
  auto getSide = [](int64_t extent) {
    return std::clamp<int64_t>(roundUpToPower(extent), 16, 128);
  };
  tile.blockRows = getSide(rows);
  tile.blockColumns = getSide(columns);
  tile.threadRows = tile.blockRows / 16;
  tile.threadColumns = tile.blockColumns / 16;
  if (tile.threadRows * tile.threadColumns > 16)
    tile.depth = 8;
  auto openLoop = [&](Value end, int64_t step) {
    auto loop =
        scf::ForOp::create(b, loc, threads.index(0), end, threads.index(step));
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  };
  OpBuilder::InsertionGuard guard(b);
  Value numRows = threads.count(tile.rows);
  Value numColumns = threads.count(tile.columns);
  threads.setIndices(tile.batch, openLoop(threads.count(tile.batch), 1));
  Value firstRow = openLoop(numRows, tile.blockRows);
  Value firstColumn = openLoop(numColumns, tile.blockColumns);
  emitTileOfContraction(threads, tile, firstRow, firstColumn, init);
}

namespace {
/// Copies a tile of one input to workgroup memory, [depth][rows], zeros where
/// the input ends.
struct Stage {
  OpOperand *input;
  ArrayRef<unsigned> dims;
  /// First row, and how many rows there are.
  Value first, count;
  int64_t size;
  Value buffer;
};
} // namespace

static Value emitIsBelow(OpBuilder &b, Location loc, Value number, Value end) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, end);
}

/// Whether every multiple of `size` up to `count` is whole.
static bool isMultipleOf(Value count, int64_t size) {
  std::optional<int64_t> known = getConstantIntValue(count);
  return known && *known % size == 0;
}

static void emitStage(ThreadEmitter &threads, const Stage &stage, Value thread,
                      Value firstTerm, Value numTerms, int64_t depth) {
  OpBuilder &b = threads.b;
  Location loc = threads.loc;
  bool isAlongTerms = isLastAlong(threads.op, stage.input, threads.reductions);
  int64_t inner = isAlongTerms ? depth : stage.size;
  for (int64_t begin = 0; begin < depth * stage.size;
       begin += kGroupBlockSize) {
    OpBuilder::InsertionGuard guard(b);
    Value place =
        b.createOrFold<arith::AddIOp>(loc, thread, threads.index(begin));
    if (depth * stage.size % kGroupBlockSize != 0) {
      auto branch = scf::IfOp::create(
          b, loc,
          emitIsBelow(b, loc, place, threads.index(depth * stage.size)));
      b.setInsertionPointToStart(branch.thenBlock());
    }
    Value low = arith::RemUIOp::create(b, loc, place, threads.index(inner));
    Value high = arith::DivUIOp::create(b, loc, place, threads.index(inner));
    Value term = isAlongTerms ? low : high, row = isAlongTerms ? high : low;
    Value rowNumber = arith::AddIOp::create(b, loc, stage.first, row);
    Value termNumber = arith::AddIOp::create(b, loc, firstTerm, term);
    auto emitLoad = [&]() {
      threads.setIndices(stage.dims, rowNumber);
      threads.setIndices(threads.reductions, termNumber);
      return threads.load(*stage.input);
    };
    Value isInside;
    if (!isMultipleOf(stage.count, stage.size))
      isInside = emitIsBelow(b, loc, rowNumber, stage.count);
    if (!isMultipleOf(numTerms, depth)) {
      Value isTerm = emitIsBelow(b, loc, termNumber, numTerms);
      isInside =
          isInside ? arith::AndIOp::create(b, loc, isInside, isTerm) : isTerm;
    }
    Value element;
    if (!isInside) {
      element = emitLoad();
    } else {
      Type type = getElementTypeOrSelf(stage.input->get().getType());
      auto branch = scf::IfOp::create(b, loc, type, isInside,
                                      /*withElseRegion=*/true);
      OpBuilder::InsertionGuard inside(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, loc, emitLoad());
      b.setInsertionPointToStart(branch.elseBlock());
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      scf::YieldOp::create(b, loc, zero);
      element = branch.getResult(0);
    }
    memref::StoreOp::create(b, loc, element, stage.buffer,
                            ValueRange{term, row});
  }
}

void BlockEmitter::emitTileOfContraction(ThreadEmitter &threads,
                                         const Tile &tile, Value firstRow,
                                         Value firstColumn, Value init) {
  linalg::LinalgOp op = threads.op;
  OpBuilder &b = threads.b;
  Location loc = threads.loc;
  // Neighbours among threads are neighbours along columns.
  int64_t across = tile.blockColumns / tile.threadColumns;
  int64_t down = tile.blockRows / tile.threadRows;
  Value x = arith::RemUIOp::create(b, loc, thread, threads.index(across));
  Value y = arith::DivUIOp::create(b, loc, thread, threads.index(across));
  Value numRows = threads.count(tile.rows);
  Value numColumns = threads.count(tile.columns);
  Value numTerms = threads.count(threads.reductions);
  // One column more than there are keeps columns in banks of their own.
  auto makeStage = [&](unsigned number, ArrayRef<unsigned> dims, Value first,
                       Value count, int64_t size) {
    OpOperand *input = op.getDpsInputOperand(number);
    Type element = getElementTypeOrSelf(input->get().getType());
    Value buffer = allocateScratch(b, loc, {tile.depth, size + 1}, element);
    return Stage{input, dims, first, count, size, buffer};
  };
  Stage lhs = makeStage(0, tile.rows, firstRow, numRows, tile.blockRows);
  Stage rhs =
      makeStage(1, tile.columns, firstColumn, numColumns, tile.blockColumns);

  OpOperand &out = op.getDpsInitsMutable()[0];
  Type type = getElementTypeOrSelf(out.get().getType());
  bool isWhole = isMultipleOf(numRows, tile.blockRows) &&
                 isMultipleOf(numColumns, tile.blockColumns);
  SmallVector<Value> rowOf, columnOf, rowsInTile, columnsInTile;
  for (int64_t i = 0; i < tile.threadRows; ++i) {
    rowsInTile.push_back(
        b.createOrFold<arith::AddIOp>(loc, y, threads.index(i * down)));
    rowOf.push_back(arith::AddIOp::create(b, loc, firstRow, rowsInTile.back()));
  }
  for (int64_t j = 0; j < tile.threadColumns; ++j) {
    columnsInTile.push_back(
        b.createOrFold<arith::AddIOp>(loc, x, threads.index(j * across)));
    columnOf.push_back(
        arith::AddIOp::create(b, loc, firstColumn, columnsInTile.back()));
  }
  // Calls `emitInside` where there is an element.
  auto forElements = [&](function_ref<void(unsigned, unsigned)> emitInside) {
    for (int64_t i = 0; i < tile.threadRows; ++i)
      for (int64_t j = 0; j < tile.threadColumns; ++j)
        emitInside(i, j);
  };
  auto setPlace = [&](unsigned i, unsigned j) {
    threads.setIndices(tile.rows, rowOf[i]);
    threads.setIndices(tile.columns, columnOf[j]);
  };
  auto emitIsInside = [&](unsigned i, unsigned j) -> Value {
    return arith::AndIOp::create(b, loc, emitIsBelow(b, loc, rowOf[i], numRows),
                                 emitIsBelow(b, loc, columnOf[j], numColumns));
  };

  SmallVector<Value> sums;
  forElements([&](unsigned i, unsigned j) {
    if (init) {
      sums.push_back(init);
      return;
    }
    if (isWhole) {
      setPlace(i, j);
      sums.push_back(threads.load(out));
      return;
    }
    auto branch = scf::IfOp::create(b, loc, type, emitIsInside(i, j),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(branch.thenBlock());
    setPlace(i, j);
    scf::YieldOp::create(b, loc, threads.load(out));
    b.setInsertionPointToStart(branch.elseBlock());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    scf::YieldOp::create(b, loc, zero);
    sums.push_back(branch.getResult(0));
  });

  auto loop = scf::ForOp::create(b, loc, threads.index(0), numTerms,
                                 threads.index(tile.depth), sums);
  {
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    Value firstTerm = loop.getInductionVar();
    emitStage(threads, lhs, thread, firstTerm, numTerms, tile.depth);
    emitStage(threads, rhs, thread, firstTerm, numTerms, tile.depth);
    emitBarrier(b, loc);
    sums.assign(loop.getRegionIterArgs().begin(),
                loop.getRegionIterArgs().end());
    for (int64_t term = 0; term < tile.depth; ++term) {
      SmallVector<Value> left, right;
      for (Value row : rowsInTile)
        left.push_back(memref::LoadOp::create(
            b, loc, lhs.buffer, ValueRange{threads.index(term), row}));
      for (Value column : columnsInTile)
        right.push_back(memref::LoadOp::create(
            b, loc, rhs.buffer, ValueRange{threads.index(term), column}));
      forElements([&](unsigned i, unsigned j) {
        Value &sum = sums[i * tile.threadColumns + j];
        sum = fuseMultiplyAdd(
            b, threads.emitBody(ValueRange{left[i], right[j]}, sum).front());
      });
    }
    // Before the next tile is where this one was.
    emitBarrier(b, loc);
    scf::YieldOp::create(b, loc, sums);
  }
  forElements([&](unsigned i, unsigned j) {
    OpBuilder::InsertionGuard inside(b);
    if (!isWhole) {
      auto branch = scf::IfOp::create(b, loc, emitIsInside(i, j));
      b.setInsertionPointToStart(branch.thenBlock());
    }
    setPlace(i, j);
    threads.store(loop.getResult(i * tile.threadColumns + j), out);
  });
}

} // namespace flywheel
