//===- TriangularLaunches.cpp - Factors and systems on the device ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has a matrix, or some right-hand sides of one, and proceeds row by
// row with barriers between. Each element adds up its products in the order of
// the columns: results are the same each time.
//
//===----------------------------------------------------------------------===//

#include "../Schedule/BlockNumbers.h"
#include "BlockEmitter.h"
#include "IndexEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::linalg_ext;

/// Columns of a factor that are computed before the others are updated: enough
/// that most products are summed in registers.
static constexpr int64_t kPanel = 32;
/// Blocks that factorize, of each multiprocessor; each takes several matrices
/// if there are more.
static constexpr int64_t kFactorBlocks = 8;
/// Right-hand sides of a block: the elements of a row of them that threads of a
/// warp load together.
static constexpr int64_t kColumns = 32;

namespace {
/// Accesses one matrix of a batch.
class MatrixEmitter : protected IndexEmitter {
protected:
  MatrixEmitter(Operation *op, Value matrices) : IndexEmitter(op) {
    batch = sizesOf(matrices);
    batch.truncate(batch.size() - 2);
    numMatrices = product(batch);
  }

  /// Sets the position to that of matrix `number`.
  void enterMatrix(Value number) {
    SmallVector<Value> sizes;
    for (Value size : batch)
      sizes.push_back(b.createOrFold<arith::MaxUIOp>(loc, size, constant(1)));
    place = delinearize(number, sizes);
  }
  Value load(Value matrices, Value row, Value column) {
    return memref::LoadOp::create(b, loc, matrices, at(row, column));
  }
  void store(Value value, Value matrices, Value row, Value column) {
    memref::StoreOp::create(b, loc, value, matrices, at(row, column));
  }
  /// Returns `lhs` - `one` * `other`.
  Value subtractProduct(Value lhs, Value one, Value other) {
    Value product = arith::MulFOp::create(b, loc, one, other);
    return arith::SubFOp::create(b, loc, lhs, product);
  }
  /// Shares a rectangle of elements between the threads of a block;
  /// neighbouring threads have neighbours in a row.
  void shareElements(Value thread, Value numRows, Value numColumns,
                     function_ref<void(Value row, Value column)> body) {
    loop(thread, multiply(numRows, numColumns), constant(kGroupBlockSize),
         [&](Value number) {
           body(b.createOrFold<arith::DivUIOp>(loc, number, numColumns),
                b.createOrFold<arith::RemUIOp>(loc, number, numColumns));
         });
  }

  Value numMatrices;

private:
  SmallVector<Value> at(Value row, Value column) {
    SmallVector<Value> position(place);
    position.append({row, column});
    return position;
  }

  SmallVector<Value> batch, place;
};

class FactorEmitter : MatrixEmitter {
public:
  explicit FactorEmitter(CholeskyOp op)
      : MatrixEmitter(op, op.getInit()), op(op),
        size(sizeOf(op.getInit(), rankOf(op.getInit()) - 1)) {}

  void emit();

private:
  void subtractColumnsBefore(Value begin, Value width);
  void factorizeColumn(Value column, Value end);
  void factorizeMatrix();
  void combineFlags(Value flags, Value count);
  void onFirstThread(function_ref<void()> body) {
    branch(compare(arith::CmpIPredicate::eq, thread, constant(0)), body);
  }
  void barrier() { gpu::BarrierOp::create(b, loc); }

  CholeskyOp op;
  Value size, thread, flag;
};

class SolveEmitter : MatrixEmitter {
public:
  explicit SolveEmitter(TriangularSolveOp op)
      : MatrixEmitter(op, op.getInit()), op(op),
        numRows(sizeOf(op.getInit(), rankOf(op.getInit()) - 2)),
        numColumns(sizeOf(op.getInit(), rankOf(op.getInit()) - 1)) {}

  void emit();

private:
  void solveRow(Value thread, Value step, Value first, Value width);

  TriangularSolveOp op;
  Value numRows, numColumns;
};
} // namespace

//===----------------------------------------------------------------------===//
// Cholesky factors
//===----------------------------------------------------------------------===//

/// Subtracts from the columns at `begin` the contribution of the columns before
/// them.
void FactorEmitter::subtractColumnsBefore(Value begin, Value width) {
  Value matrix = op.getInit();
  shareElements(
      thread, subtract(size, begin), width, [&](Value below, Value right) {
        Value row = add(begin, below), column = add(begin, right);
        branch(compare(arith::CmpIPredicate::uge, row, column), [&] {
          auto products =
              scf::ForOp::create(b, loc, constant(0), begin, constant(1),
                                 load(matrix, row, column));
          {
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPointToStart(products.getBody());
            Value before = products.getInductionVar();
            scf::YieldOp::create(b, loc,
                                 subtractProduct(products.getRegionIterArg(0),
                                                 load(matrix, row, before),
                                                 load(matrix, column, before)));
          }
          store(products.getResult(0), matrix, row, column);
        });
      });
}

/// Divides a column by the root of its diagonal, and subtracts its contribution
/// from the columns after it, up to `end`.
void FactorEmitter::factorizeColumn(Value column, Value end) {
  Value matrix = op.getInit(), next = add(column, constant(1));
  onFirstThread([&] {
    Value square = load(matrix, column, column);
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(square.getType()));
    // Also false for NaN.
    Value isPositive =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, square, zero);
    Value sofar = memref::LoadOp::create(b, loc, flag, constant(0));
    memref::StoreOp::create(b, loc, both(sofar, isPositive), flag, constant(0));
    store(math::SqrtOp::create(b, loc, square), matrix, column, column);
  });
  barrier();
  Value root = load(matrix, column, column);
  loop(add(next, thread), size, constant(kGroupBlockSize), [&](Value row) {
    Value quotient =
        arith::DivFOp::create(b, loc, load(matrix, row, column), root);
    store(quotient, matrix, row, column);
  });
  barrier();
  shareElements(thread, subtract(size, next), subtract(end, next),
                [&](Value below, Value right) {
                  Value row = add(next, below), other = add(next, right);
                  branch(compare(arith::CmpIPredicate::uge, row, other), [&] {
                    store(subtractProduct(load(matrix, row, other),
                                          load(matrix, row, column),
                                          load(matrix, other, column)),
                          matrix, row, other);
                  });
                });
  barrier();
}

void FactorEmitter::factorizeMatrix() {
  loop(constant(0), size, constant(kPanel), [&](Value begin) {
    Value width =
        arith::MinUIOp::create(b, loc, subtract(size, begin), constant(kPanel));
    Value isBehind = compare(arith::CmpIPredicate::ne, begin, constant(0));
    branch(isBehind, [&] { subtractColumnsBefore(begin, width); });
    barrier();
    Value end = add(begin, width);
    loop(begin, end, constant(1),
         [&](Value column) { factorizeColumn(column, end); });
  });
}

/// Sets the flag of the op to false if one of the first `count` flags is false.
void FactorEmitter::combineFlags(Value flags, Value count) {
  Value one = constant(1), none = constant(0);
  BlockEmitter emitter(launchBlocks(one, /*launch=*/1));
  thread = emitter.getThread();
  Value shared =
      emitter.allocateScratch(b, loc, {kGroupBlockSize}, b.getI1Type());
  Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  auto mine =
      scf::ForOp::create(b, loc, thread, count, constant(kGroupBlockSize), yes);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(mine.getBody());
    Value other = memref::LoadOp::create(b, loc, flags, mine.getInductionVar());
    scf::YieldOp::create(b, loc, both(mine.getRegionIterArg(0), other));
  }
  memref::StoreOp::create(b, loc, mine.getResult(0), shared, thread);
  barrier();
  auto numRounds = static_cast<int64_t>(llvm::Log2_64(kGroupBlockSize));
  loop(none, constant(numRounds), one, [&](Value round) {
    Value distance =
        arith::ShRUIOp::create(b, loc, constant(kGroupBlockSize / 2), round);
    branch(compare(arith::CmpIPredicate::ult, thread, distance), [&] {
      Value here = memref::LoadOp::create(b, loc, shared, thread);
      Value there =
          memref::LoadOp::create(b, loc, shared, add(thread, distance));
      memref::StoreOp::create(b, loc, both(here, there), shared, thread);
    });
    barrier();
  });
  onFirstThread([&] {
    Value sofar = memref::LoadOp::create(b, loc, op.getSuccess(), ValueRange());
    Value all = memref::LoadOp::create(b, loc, shared, none);
    memref::StoreOp::create(b, loc, both(sofar, all), op.getSuccess(),
                            ValueRange());
  });
}

void FactorEmitter::emit() {
  int64_t most = BlockNumbers(op).enough * kFactorBlocks;
  auto function = op->getParentOfType<func::FuncOp>();
  OpBuilder top = OpBuilder::atBlockBegin(&function.getBody().front());
  Value flags = memref::AllocaOp::create(
      top, loc, MemRefType::get({most}, b.getI1Type()));
  Value blocks =
      b.createOrFold<arith::MinUIOp>(loc, numMatrices, constant(most));
  blocks = b.createOrFold<arith::MaxUIOp>(loc, blocks, constant(1));
  {
    OpBuilder::InsertionGuard guard(b);
    BlockEmitter emitter(launchBlocks(blocks, /*launch=*/0));
    thread = emitter.getThread();
    flag = emitter.allocateScratch(b, loc, {1}, b.getI1Type());
    Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
    Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
    // Only the first thread accesses the flag.
    onFirstThread(
        [&] { memref::StoreOp::create(b, loc, yes, flag, constant(0)); });
    loop(block, numMatrices, blocks, [&](Value number) {
      enterMatrix(number);
      factorizeMatrix();
    });
    onFirstThread([&] {
      Value found = memref::LoadOp::create(b, loc, flag, constant(0));
      memref::StoreOp::create(b, loc, found, flags, block);
    });
  }
  combineFlags(flags, blocks);
}

//===----------------------------------------------------------------------===//
// Triangular systems
//===----------------------------------------------------------------------===//

/// Solves for one row of the results, after `step` rows, and subtracts its
/// share from the others.
void SolveEmitter::solveRow(Value thread, Value step, Value first,
                            Value width) {
  Value a = op.getA(), x = op.getInit(), one = constant(1);
  // op(a) is a lower triangle: the first row has one unknown.
  bool isForward = op.getUpper() == op.getTranspose();
  Value rest = subtract(subtract(numRows, one), step);
  Value row = isForward ? step : rest;
  if (!op.getUnitDiagonal()) {
    loop(thread, width, constant(kGroupBlockSize), [&](Value number) {
      Value column = add(first, number);
      Value quotient = arith::DivFOp::create(b, loc, load(x, row, column),
                                             load(a, row, row));
      store(quotient, x, row, column);
    });
    gpu::BarrierOp::create(b, loc);
  }
  shareElements(thread, rest, width, [&](Value number, Value right) {
    Value other = isForward ? add(add(row, one), number) : number;
    Value column = add(first, right);
    Value factor =
        op.getTranspose() ? load(a, row, other) : load(a, other, row);
    store(subtractProduct(load(x, other, column), factor, load(x, row, column)),
          x, other, column);
  });
  gpu::BarrierOp::create(b, loc);
}

void SolveEmitter::emit() {
  Value most = constant(kColumns), one = constant(1);
  Value groups = b.createOrFold<arith::CeilDivUIOp>(loc, numColumns, most);
  groups = b.createOrFold<arith::MaxUIOp>(loc, groups, one);
  Value blocks = multiply(numMatrices, groups);
  BlockEmitter emitter(
      launchBlocks(b.createOrFold<arith::MaxUIOp>(loc, blocks, one)));
  Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  Value number = b.createOrFold<arith::DivUIOp>(loc, block, groups);
  Value first =
      multiply(b.createOrFold<arith::RemUIOp>(loc, block, groups), most);
  Value width =
      b.createOrFold<arith::MinUIOp>(loc, subtract(numColumns, first), most);
  Value isThere = compare(arith::CmpIPredicate::ult, number, numMatrices);
  enterMatrix(number);
  Value end = arith::SelectOp::create(b, loc, isThere, numRows, constant(0));
  loop(constant(0), end, one,
       [&](Value step) { solveRow(emitter.getThread(), step, first, width); });
}

void flywheel::launchCholesky(CholeskyOp op) { FactorEmitter(op).emit(); }
void flywheel::launchTriangularSolve(TriangularSolveOp op) {
  SolveEmitter(op).emit();
}
