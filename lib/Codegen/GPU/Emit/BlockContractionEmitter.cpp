//===- BlockContractionEmitter.cpp - A contraction by a block -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockContractionEmitter.h"
#include "../Schedule/BlockNumbers.h"
#include "../Schedule/KnownDivisor.h"

#include "flywheel/Analysis/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {

BlockContractionEmitter::BlockContractionEmitter(
    BlockEmitter &block, ThreadEmitter &threads, Value init,
    ArrayRef<linalg::LinalgOp> epilogue)
    : block(block), threads(threads), b(threads.b), loc(threads.loc),
      init(init), epilogue(epilogue), loops(threads.op),
      tile(threads.op, loops, getBlockSchedule(threads.op),
           WorkgroupBytes(threads.op).all - block.getPrivateBytes()) {}

void BlockContractionEmitter::emit() {
  auto openLoop = [&](Value end, int64_t step) {
    auto loop =
        scf::ForOp::create(b, loc, threads.index(0), end, threads.index(step));
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  };
  OpBuilder::InsertionGuard guard(b);
  numRows = threads.count(loops.rows);
  numColumns = threads.count(loops.columns);
  numTerms = threads.count(loops.terms);
  isWhole = isMultipleOf(numRows, tile.rows) &&
            isMultipleOf(numColumns, tile.columns);
  threads.setIndices(loops.batch, openLoop(threads.count(loops.batch), 1));
  auto openTiles = [&](Value end, int64_t step) -> Value {
    std::optional<int64_t> most = getKnownBound(end);
    return most && *most <= step ? threads.index(0) : openLoop(end, step);
  };
  firstRow = openTiles(numRows, tile.rows);
  firstColumn = openTiles(numColumns, tile.columns);
  emitTile(firstRow, firstColumn);
}

void BlockContractionEmitter::setPlace(const Accumulators::Element &element) {
  threads.setIndices(loops.rows,
                     b.createOrFold<arith::AddIOp>(loc, firstRow, element.row));
  threads.setIndices(loops.columns, b.createOrFold<arith::AddIOp>(
                                        loc, firstColumn, element.column));
}

Value BlockContractionEmitter::emitIsInside(
    const Accumulators::Element &element) {
  Value row = b.createOrFold<arith::AddIOp>(loc, firstRow, element.row);
  Value column =
      b.createOrFold<arith::AddIOp>(loc, firstColumn, element.column);
  return arith::AndIOp::create(b, loc, emitIsBelow(b, loc, row, numRows),
                               emitIsBelow(b, loc, column, numColumns));
}

void BlockContractionEmitter::emitTile(Value firstRow, Value firstColumn) {
  linalg::LinalgOp op = threads.op;
  std::unique_ptr<Accumulators> accumulators =
      tile.usesTensorCores
          ? createMatrixAccumulators(threads, tile, block.getThread())
          : createThreadAccumulators(threads, tile, block.getThread());
  auto makeInput = [&](unsigned number, ArrayRef<unsigned> dims, Value first,
                       int64_t side) {
    OpOperand &operand = *op.getDpsInputOperand(number);
    Type element = tile.usesTensorCores
                       ? getFactorType(op, number)
                       : getElementTypeOrSelf(operand.get().getType());
    InputTile input(threads, operand, dims, loops.terms, side, tile.depth,
                    element, tile.usesTensorCores, block.canCopyAsync());
    Value memory =
        block.allocateScratch(b, loc, input.getShape(tile.stages), element);
    input.setPlace(memory, first, block.getThread());
    return input;
  };
  InputTile lhs = makeInput(0, loops.rows, firstRow, tile.rows);
  InputTile rhs = makeInput(1, loops.columns, firstColumn, tile.columns);

  OpOperand &out = op.getDpsInitsMutable()[0];
  Type type = getElementTypeOrSelf(out.get().getType());
  bool isNegated = accumulators->isNegated();
  auto negate = [&](Value value) {
    return isNegated ? arith::NegFOp::create(b, loc, value).getResult() : value;
  };
  SmallVector<Value> sums;
  Value start = init ? negate(init) : Value();
  for (const Accumulators::Element &element : accumulators->getElements()) {
    if (start) {
      sums.push_back(start);
      continue;
    }
    if (isWhole) {
      setPlace(element);
      sums.push_back(negate(threads.load(out)));
      continue;
    }
    auto branch = scf::IfOp::create(b, loc, type, emitIsInside(element),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(branch.thenBlock());
    setPlace(element);
    scf::YieldOp::create(b, loc, negate(threads.load(out)));
    b.setInsertionPointToStart(branch.elseBlock());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    scf::YieldOp::create(b, loc, zero);
    sums.push_back(branch.getResult(0));
  }

  sums = emitSums(*accumulators, sums, lhs, rhs);

  Epilogue rest(b, epilogue);
  for (auto [element, sum] :
       llvm::zip_equal(accumulators->getElements(), sums)) {
    OpBuilder::InsertionGuard inside(b);
    if (!isWhole)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, loc, emitIsInside(element)).thenBlock());
    setPlace(element);
    rest.emit(loc, negate(sum), out.get(), threads.getIndices(out));
  }
}

/// Emits copies some tiles ahead of their use. A slot is overwritten only after
/// the barrier that follows its use by all threads: one barrier for each tile
/// is enough.
SmallVector<Value> BlockContractionEmitter::emitSums(Accumulators &accumulators,
                                                     ArrayRef<Value> sums,
                                                     InputTile &lhs,
                                                     InputTile &rhs) {
  InputTile *inputs[] = {&lhs, &rhs};
  bool isAnyAsync = lhs.isAsync || rhs.isAsync;
  int64_t ahead = tile.stages - 1;
  auto ifTerm = [&](Value term, function_ref<void()> emitCopies) {
    // All threads take the same branches.
    OpBuilder::InsertionGuard guard(b);
    auto branch =
        scf::IfOp::create(b, loc, emitIsBelow(b, loc, term, numTerms));
    b.setInsertionPointToStart(branch.thenBlock());
    emitCopies();
  };
  if (isAnyAsync)
    for (int64_t number = 0; number < ahead; ++number) {
      Value term = threads.index(number * tile.depth);
      ifTerm(term, [&]() {
        for (InputTile *input : inputs)
          if (input->isAsync)
            input->emitAsyncCopy(term, threads.index(number));
      });
      block.emitCommit(b, loc);
    }
  // Inputs that cannot be copied asynchronously are loaded one tile ahead, into
  // registers.
  Value zero = threads.index(0);
  ifTerm(zero, [&]() {
    for (InputTile *input : inputs)
      if (!input->isAsync)
        input->emitStores(input->emitLoads(zero), zero);
  });

  SmallVector<Value> iterated{zero};
  llvm::append_range(iterated, sums);
  auto loop = scf::ForOp::create(b, loc, zero, numTerms,
                                 threads.index(tile.depth), iterated);
  {
    OpBuilder::InsertionGuard inside(b);
    b.setInsertionPointToStart(loop.getBody());
    Value firstTerm = loop.getInductionVar();
    Value slot = loop.getRegionIterArg(0);
    auto slotBehind = [&](int64_t distance) -> Value {
      Value sum = arith::AddIOp::create(b, loc, slot, threads.index(distance));
      Value wrapped =
          arith::SubIOp::create(b, loc, sum, threads.index(tile.stages));
      return arith::SelectOp::create(
          b, loc, emitIsBelow(b, loc, sum, threads.index(tile.stages)), sum,
          wrapped);
    };
    if (isAnyAsync)
      block.emitWait(b, loc, ahead - 1);
    block.emitBarrier(b, loc);
    if (isAnyAsync) {
      Value next = arith::AddIOp::create(b, loc, firstTerm,
                                         threads.index(ahead * tile.depth));
      Value nextSlot = slotBehind(ahead);
      ifTerm(next, [&]() {
        for (InputTile *input : inputs)
          if (input->isAsync)
            input->emitAsyncCopy(next, nextSlot);
      });
      block.emitCommit(b, loc);
    }
    Value next =
        arith::AddIOp::create(b, loc, firstTerm, threads.index(tile.depth));
    Value isNext = emitIsBelow(b, loc, next, numTerms);
    // Loads are in flight while this tile is used.
    SmallVector<SmallVector<Value>, 2> loaded(2);
    for (auto [input, values] : llvm::zip_equal(inputs, loaded)) {
      if (input->isAsync)
        continue;
      SmallVector<Type> types = input->getLoadTypes();
      auto branch =
          scf::IfOp::create(b, loc, types, isNext, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, loc, input->emitLoads(next));
      b.setInsertionPointToStart(branch.elseBlock());
      SmallVector<Value> nothing;
      for (Type type : types)
        nothing.push_back(
            arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
      scf::YieldOp::create(b, loc, nothing);
      values.assign(branch.getResults().begin(), branch.getResults().end());
    }
    SmallVector<Value> before(loop.getRegionIterArgs().drop_front());
    SmallVector<Value> after = accumulators.multiply(before, lhs, rhs, slot);
    Value nextSlot = slotBehind(1);
    for (auto [input, values] : llvm::zip_equal(inputs, loaded))
      if (!input->isAsync)
        input->emitStores(values, nextSlot);
    SmallVector<Value> yielded{nextSlot};
    llvm::append_range(yielded, after);
    scf::YieldOp::create(b, loc, yielded);
  }
  // The next op uses the same memory.
  if (isAnyAsync)
    block.emitWait(b, loc, 0);
  block.emitBarrier(b, loc);
  return SmallVector<Value>(loop.getResults().drop_front());
}

} // namespace flywheel
