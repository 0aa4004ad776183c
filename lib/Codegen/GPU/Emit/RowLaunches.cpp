//===- RowLaunches.cpp - Slices and rows at sorted indices ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Equal indices are neighbors in their order. A thread that is at the first one
// of them, for one element of the slices, visits all of them: no two threads
// write to one element, and sums are those of a loop over the indices, bit for
// bit. The duration of a launch is that of the most frequent index.
//
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "IndexEmitter.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::linalg_ext;

namespace {
/// Follows an order of indices, each of which may have several dimensions.
class OrderedEmitter : protected IndexEmitter {
protected:
  OrderedEmitter(Operation *op, Value indices, Value order)
      : IndexEmitter(op), indices(indices), order(order),
        sizes(sizesOf(indices)) {
    count = product(sizes);
  }

  /// Returns the position in `indices` of number `number` of their order.
  SmallVector<Value> loadPositions(Value number) {
    return delinearize(loadPosition(order, number, count), sizes);
  }
  Value loadIndexAt(Value number) {
    return loadIndex(indices, loadPositions(number));
  }
  /// Return true if number `number` of the order is the first one with `index`,
  /// and the last one.
  Value isFirst(Value number, Value index);
  Value isLast(Value number, Value index);
  /// Carries `init` over those after `number` that have `index`.
  Value carry(Value number, Value index, Value init,
              function_ref<Value(ValueRange positions, Value carried)> body);

  Value indices, order;
  SmallVector<Value> sizes;
  Value count;
};

class ScatterEmitter : OrderedEmitter {
public:
  explicit ScatterEmitter(ScatterOp op)
      : OrderedEmitter(op, op.getIndices(), op.getOrder()), op(op) {}
  void emit();

private:
  void store(ArrayRef<Value> outer, Value number, ArrayRef<Value> inner);

  ScatterOp op;
};

class CombineRowsEmitter : OrderedEmitter {
public:
  explicit CombineRowsEmitter(CombineRowsOp op)
      : OrderedEmitter(op, op.getIndices(), op.getOrder()), op(op) {}
  void emit();

private:
  CombineRowsOp op;
};

class UpdateRowsEmitter : OrderedEmitter {
public:
  explicit UpdateRowsEmitter(UpdateRowsOp op)
      : OrderedEmitter(op, op.getIndices(), op.getOrder()), op(op),
        limit(sizeOf(op.getTables().front(), 0)),
        inner(ArrayRef(sizesOf(op.getTables().front())).drop_front()) {
    numElements = product(inner);
  }
  void emit() { op.getAll() ? updateAll() : updateSome(); }

private:
  void updateSome();
  void updateAll();
  Value emitSearch(Value row);
  /// Updates element `place` of row `row`, along `gradient`.
  void update(Value row, ArrayRef<Value> place, Value gradient);
  Value loadGradient(Value position, ArrayRef<Value> place) {
    SmallVector<Value> from = {position};
    llvm::append_range(from, place);
    return memref::LoadOp::create(b, loc, op.getRows(), from);
  }

  UpdateRowsOp op;
  Value limit;
  SmallVector<Value> inner;
  Value numElements;
};
} // namespace

//===----------------------------------------------------------------------===//
// Equal indices
//===----------------------------------------------------------------------===//

Value OrderedEmitter::isFirst(Value number, Value index) {
  Value hasBefore = compare(arith::CmpIPredicate::ne, number, constant(0));
  return choose(
      hasBefore,
      [&] {
        Value before = loadIndexAt(subtract(number, constant(1)));
        return compare(arith::CmpIPredicate::ne, index, before);
      },
      arith::ConstantIntOp::create(b, loc, 1, 1));
}

Value OrderedEmitter::isLast(Value number, Value index) {
  Value next = add(number, constant(1));
  Value hasNext = compare(arith::CmpIPredicate::ult, next, count);
  return choose(
      hasNext,
      [&] {
        return compare(arith::CmpIPredicate::ne, index, loadIndexAt(next));
      },
      arith::ConstantIntOp::create(b, loc, 1, 1));
}

Value OrderedEmitter::carry(
    Value number, Value index, Value init,
    function_ref<Value(ValueRange positions, Value carried)> body) {
  Value one = constant(1);
  SmallVector<Value> inits = {add(number, one), init};
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange(ValueRange(inits)), inits,
      [&](OpBuilder &nested, Location, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(nested.saveInsertionPoint());
        Value isThere = compare(arith::CmpIPredicate::ult, args[0], count);
        Value isSame = choose(
            isThere,
            [&] {
              return compare(arith::CmpIPredicate::eq, index,
                             loadIndexAt(args[0]));
            },
            arith::ConstantIntOp::create(b, loc, 0, 1));
        scf::ConditionOp::create(b, loc, isSame, args);
      },
      [&](OpBuilder &nested, Location, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(nested.saveInsertionPoint());
        Value carried = body(loadPositions(args[0]), args[1]);
        scf::YieldOp::create(b, loc, ValueRange{add(args[0], one), carried});
      });
  return loop.getResult(1);
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

void ScatterEmitter::emit() {
  auto axis = static_cast<size_t>(op.getAxis());
  Value updates = op.getUpdates();
  // Treats the indices as one dimension, in their position: neighbors along the
  // last dimension are neighbors in memory.
  SmallVector<Value> all;
  size_t numIndices = sizes.size();
  for (size_t dim = 0; dim < static_cast<size_t>(rankOf(updates)); ++dim) {
    if (dim == axis)
      all.push_back(count);
    if (dim < axis || dim >= axis + numIndices)
      all.push_back(sizeOf(updates, dim));
  }
  if (all.size() == axis)
    all.push_back(count);
  SmallVector<Value> place = delinearize(launchElements(product(all)), all);
  store(ArrayRef(place).take_front(axis), place[axis],
        ArrayRef(place).drop_front(axis + 1));
}

void ScatterEmitter::store(ArrayRef<Value> outer, Value number,
                           ArrayRef<Value> inner) {
  Value init = op.getInit(), limit = sizeOf(init, op.getAxis());
  SmallVector<Value> positions = loadPositions(number);
  Value index = loadIndex(indices, positions);
  Value isInside = compare(arith::CmpIPredicate::ult, index, limit);
  auto load = [&](ValueRange at) -> Value {
    SmallVector<Value> from(outer);
    llvm::append_range(from, at);
    llvm::append_range(from, inner);
    return memref::LoadOp::create(b, loc, op.getUpdates(), from);
  };
  SmallVector<Value> to(outer);
  to.push_back(index);
  llvm::append_range(to, inner);
  bool isSum = op.getKind() == ScatterKind::add;
  Value isMine = isSum ? isFirst(number, index) : isLast(number, index);
  branch(both(isInside, isMine), [&] {
    Value update = load(positions);
    if (isSum) {
      Value start = memref::LoadOp::create(b, loc, init, to);
      update = carry(
          number, index, sum(start, update),
          [&](ValueRange at, Value carried) { return sum(carried, load(at)); });
    }
    memref::StoreOp::create(b, loc, update, init, to);
  });
}

//===----------------------------------------------------------------------===//
// Rows of one index
//===----------------------------------------------------------------------===//

void CombineRowsEmitter::emit() {
  Value rows = op.getRows();
  SmallVector<Value> all = sizesOf(rows);
  SmallVector<Value> place = delinearize(launchElements(product(all)), all);
  ArrayRef<Value> inner = ArrayRef(place).drop_front();
  auto at = [&](ValueRange position) {
    SmallVector<Value> element = llvm::to_vector(position);
    llvm::append_range(element, inner);
    return element;
  };
  SmallVector<Value> positions = loadPositions(place.front());
  Value index = loadIndex(indices, positions);
  branch(isFirst(place.front(), index), [&] {
    SmallVector<Value> first = at(positions);
    Value none = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(getElementTypeOrSelf(rows)));
    Value start = memref::LoadOp::create(b, loc, rows, first);
    Value total = carry(
        place.front(), index, start, [&](ValueRange position, Value carried) {
          SmallVector<Value> other = at(position);
          Value addend = memref::LoadOp::create(b, loc, rows, other);
          memref::StoreOp::create(b, loc, none, rows, other);
          return sum(carried, addend);
        });
    memref::StoreOp::create(b, loc, total, rows, first);
  });
}

//===----------------------------------------------------------------------===//
// Updates of rows
//===----------------------------------------------------------------------===//

void UpdateRowsEmitter::update(Value row, ArrayRef<Value> place,
                               Value gradient) {
  SmallVector<Value> at = {row};
  llvm::append_range(at, place);
  Block &rule = op.getBody().front();
  IRMapping mapping;
  mapping.map(rule.getArgument(0), gradient);
  for (auto [argument, table] :
       llvm::zip_equal(rule.getArguments().drop_front(), op.getTables()))
    mapping.map(argument,
                memref::LoadOp::create(b, loc, table, at).getResult());
  for (Operation &inner : rule.without_terminator())
    b.clone(inner, mapping);
  for (auto [value, table] :
       llvm::zip_equal(rule.getTerminator()->getOperands(), op.getTables()))
    memref::StoreOp::create(b, loc, mapping.lookupOrDefault(value), table, at);
}

/// Launches a thread for each element of a row of the gradient.
void UpdateRowsEmitter::updateSome() {
  SmallVector<Value> all = {count};
  llvm::append_range(all, inner);
  Value number = launchElements(multiply(count, numElements));
  SmallVector<Value> place = delinearize(number, all);
  ArrayRef<Value> element = ArrayRef(place).drop_front();
  Value position = loadPosition(order, place.front(), count);
  Value row = loadIndex(indices, position);
  Value isInside = compare(arith::CmpIPredicate::ult, row, limit);
  branch(both(isInside, isFirst(place.front(), row)),
         [&] { update(row, element, loadGradient(position, element)); });
}

/// Emits a search for the first position with the index `row`; -1 if there is
/// none.
Value UpdateRowsEmitter::emitSearch(Value row) {
  Value one = constant(1);
  // The number of smaller indices is between `low` and `high`.
  SmallVector<Value> inits = {constant(0), count};
  auto search = scf::WhileOp::create(
      b, loc, TypeRange(ValueRange(inits)), inits,
      [&](OpBuilder &nested, Location, ValueRange args) {
        Value isOpen = arith::CmpIOp::create(
            nested, loc, arith::CmpIPredicate::ult, args[0], args[1]);
        scf::ConditionOp::create(nested, loc, isOpen, args);
      },
      [&](OpBuilder &nested, Location, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(nested.saveInsertionPoint());
        Value middle =
            arith::ShRUIOp::create(b, loc, add(args[0], args[1]), one);
        Value isLess =
            compare(arith::CmpIPredicate::ult, loadIndexAt(middle), row);
        Value low =
            arith::SelectOp::create(b, loc, isLess, add(middle, one), args[0]);
        Value high = arith::SelectOp::create(b, loc, isLess, args[1], middle);
        scf::YieldOp::create(b, loc, ValueRange{low, high});
      });
  Value found = search.getResult(0), none = constant(-1);
  Value isThere = compare(arith::CmpIPredicate::ult, found, count);
  return choose(
      isThere,
      [&] {
        Value position = loadPosition(order, found, count);
        Value isSame = compare(arith::CmpIPredicate::eq,
                               loadIndex(indices, position), row);
        return arith::SelectOp::create(b, loc, isSame, position, none)
            .getResult();
      },
      none);
}

/// Elements of the table that a block updates: enough to outweigh the searches,
/// one for each row.
static constexpr int64_t kElementsOfBlock = 4096;

/// Launches a block for some rows of the tables. One thread for each row
/// searches the order for its gradient; then the threads share the elements.
void UpdateRowsEmitter::updateAll() {
  int64_t rowsOfBlock = kGroupBlockSize;
  if (std::optional<int64_t> known = getConstantIntValue(numElements))
    rowsOfBlock = std::clamp<int64_t>(
        kElementsOfBlock / std::max<int64_t>(*known, 1), 1, kGroupBlockSize);
  Value threads = constant(kGroupBlockSize), most = constant(rowsOfBlock);
  BlockEmitter emitter(
      launchBlocks(b.createOrFold<arith::CeilDivUIOp>(loc, limit, most)));
  Value found =
      emitter.allocateScratch(b, loc, {rowsOfBlock}, b.getIndexType());
  Value begin =
      multiply(gpu::BlockIdOp::create(b, loc, gpu::Dimension::x), most);
  Value size = arith::MinUIOp::create(b, loc, subtract(limit, begin), most);
  loop(emitter.getThread(), size, threads, [&](Value number) {
    memref::StoreOp::create(b, loc, emitSearch(add(begin, number)), found,
                            number);
  });
  emitter.emitBarrier(b, loc);
  SmallVector<Value> all = {most};
  llvm::append_range(all, inner);
  loop(emitter.getThread(), multiply(size, numElements), threads,
       [&](Value number) {
         SmallVector<Value> place = delinearize(number, all);
         ArrayRef<Value> element = ArrayRef(place).drop_front();
         Value position = memref::LoadOp::create(b, loc, found, place.front());
         Value hasGradient =
             compare(arith::CmpIPredicate::ne, position, constant(-1));
         Value zero = arith::ConstantOp::create(
             b, loc, b.getZeroAttr(getElementTypeOrSelf(op.getRows())));
         Value gradient = choose(
             hasGradient, [&] { return loadGradient(position, element); },
             zero);
         update(add(begin, place.front()), element, gradient);
       });
}

void flywheel::launchScatter(ScatterOp op) { ScatterEmitter(op).emit(); }
void flywheel::launchCombineRows(CombineRowsOp op) {
  CombineRowsEmitter(op).emit();
}
void flywheel::launchUpdateRows(UpdateRowsOp op) {
  UpdateRowsEmitter(op).emit();
}
