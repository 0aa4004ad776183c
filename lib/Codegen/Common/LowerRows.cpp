//===- LowerRows.cpp - Loops over the rows of tables ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices are sorted once, by a stable radix sort. The other ops visit them in
// that order, so that equal indices are neighbors, and the rows between two
// neighbors are a range that no index names. Rows are `linalg` ops on slices,
// which are vectorized as any other.
//
//===----------------------------------------------------------------------===//

#include "LowerRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::linalg_ext;

namespace {
/// Emits the parts that the loops of all ops consist of.
class RowEmitter {
public:
  explicit RowEmitter(Operation *op) : b(op), loc(op->getLoc()) {}

protected:
  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(b, loc, number);
  }
  Value sizeOf(Value buffer, int64_t dim) {
    return getValueOrCreateConstantIndexOp(
        b, loc, memref::getMixedSize(b, loc, buffer, dim));
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
  Value subtract(Value lhs, Value rhs) {
    return arith::SubIOp::create(b, loc, lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  void loop(Value begin, Value end, Value step,
            function_ref<void(Value)> body) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = scf::ForOp::create(b, loc, begin, end, step);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  /// Emits a loop that carries one number; returns its last value.
  Value loop(Value end, Value init, function_ref<Value(Value, Value)> body) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = scf::ForOp::create(b, loc, constant(0), end, constant(1), init);
    b.setInsertionPointToStart(loop.getBody());
    Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
    scf::YieldOp::create(b, loc, next);
    return loop.getResult(0);
  }
  void branch(Value condition, function_ref<void()> body) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    body();
  }

  /// Returns the index at `position`, or `limit` if it is out of range.
  Value loadIndex(Value indices, Value position, Value limit) {
    Value index = memref::LoadOp::create(b, loc, indices, position);
    // A negative index is a large unsigned number.
    index = index.getType().isInteger(1)
                ? arith::IndexCastUIOp::create(b, loc, b.getIndexType(), index)
                      .getResult()
                : arith::IndexCastOp::create(b, loc, b.getIndexType(), index)
                      .getResult();
    return arith::MinUIOp::create(b, loc, index, limit);
  }
  /// Returns the position at `number` of an order of `count` positions: always
  /// one below `count`, whatever the order contains.
  Value loadPosition(Value order, Value number, Value count) {
    Value position = memref::LoadOp::create(b, loc, order, number);
    position = arith::IndexCastOp::create(b, loc, b.getIndexType(), position);
    return arith::MinUIOp::create(b, loc, position,
                                  subtract(count, constant(1)));
  }

  /// Returns `buffer` as a list of its elements, or itself if it is not
  /// contiguous.
  Value flatten(Value buffer);
  /// Returns `count` rows of `buffer`, flattened to `flat`, from `begin` on.
  Value slice(Value buffer, Value flat, Value begin, OpFoldResult count);
  Value row(Value buffer, Value flat, Value number) {
    return slice(buffer, flat, number, b.getIndexAttr(1));
  }
  /// Computes elements of `outs` from those of `inputs`, all of one shape.
  void combine(ValueRange inputs, ValueRange outs,
               function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body);

  OpBuilder b;
  Location loc;
};

class ArgsortLowering : RowEmitter {
public:
  explicit ArgsortLowering(ArgsortOp op)
      : RowEmitter(op), op(op), count(sizeOf(op.getIndices(), 0)) {}
  void run();

private:
  void pass(Value from, Value to, Value shift);
  Value loadDigit(Value from, Value number, Value shift);
  Value loadCount(Value digit) {
    return arith::IndexCastOp::create(
        b, loc, b.getIndexType(),
        memref::LoadOp::create(b, loc, op.getCounts(), digit));
  }
  void store(Value number, Value buffer, Value place) {
    Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), number);
    memref::StoreOp::create(b, loc, integer, buffer, place);
  }

  ArgsortOp op;
  Value count;
};

class CombineRowsLowering : RowEmitter {
public:
  explicit CombineRowsLowering(CombineRowsOp op) : RowEmitter(op), op(op) {}
  void run();

private:
  CombineRowsOp op;
};

class UpdateRowsLowering : RowEmitter {
public:
  explicit UpdateRowsLowering(UpdateRowsOp op)
      : RowEmitter(op), op(op), count(sizeOf(op.getIndices(), 0)),
        limit(sizeOf(op.getTables().front(), 0)),
        flatRows(flatten(op.getRows())) {
    for (Value table : op.getTables())
      flatTables.push_back(flatten(table));
  }
  void run();

private:
  Value loadIndexAt(Value number) {
    Value position = loadPosition(op.getOrder(), number, count);
    return loadIndex(op.getIndices(), position, limit);
  }
  Value loadIndexBefore(Value number);
  /// Updates `size` rows from `begin` on, along `gradient`, or along zeros if
  /// it is null.
  void update(Value begin, OpFoldResult size, Value gradient);

  UpdateRowsOp op;
  Value count, limit, flatRows;
  SmallVector<Value> flatTables;
};
} // namespace

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value RowEmitter::flatten(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1 || !type.getLayout().isIdentity())
    return buffer;
  ReassociationIndices all =
      llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  return memref::CollapseShapeOp::create(b, loc, buffer,
                                         ArrayRef<ReassociationIndices>(all));
}

Value RowEmitter::slice(Value buffer, Value flat, Value begin,
                        OpFoldResult count) {
  int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
  bool isFlat = buffer != flat;
  OpFoldResult offset = begin;
  SmallVector<OpFoldResult> offsets, sizes = {count};
  for (int64_t dim = 1; dim < rank; ++dim) {
    OpFoldResult size = memref::getMixedSize(b, loc, buffer, dim);
    if (!isFlat) {
      sizes.push_back(size);
      continue;
    }
    auto multiply = [&](OpFoldResult number) -> OpFoldResult {
      auto lhs = getConstantIntValue(number), rhs = getConstantIntValue(size);
      if (lhs && rhs)
        return b.getIndexAttr(*lhs * *rhs);
      return arith::MulIOp::create(
                 b, loc, getValueOrCreateConstantIndexOp(b, loc, number),
                 getValueOrCreateConstantIndexOp(b, loc, size))
          .getResult();
    };
    offset = multiply(offset);
    sizes.front() = multiply(sizes.front());
  }
  offsets.assign(sizes.size(), b.getIndexAttr(0));
  offsets.front() = offset;
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  return memref::SubViewOp::create(b, loc, flat, offsets, sizes, strides);
}

void RowEmitter::combine(
    ValueRange inputs, ValueRange outs,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  int64_t rank = cast<MemRefType>(outs.front().getType()).getRank();
  SmallVector<AffineMap> maps(inputs.size() + outs.size(),
                              b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(b, loc, inputs, outs, maps, iterators,
                            [&](OpBuilder &nested, Location, ValueRange args) {
                              linalg::YieldOp::create(nested, loc,
                                                      body(nested, args));
                            });
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

Value ArgsortLowering::loadDigit(Value from, Value number, Value shift) {
  Value position = loadPosition(from, number, count);
  Value index = loadIndex(op.getIndices(), position, op.getLimit());
  // In 64 bits: an index may have fewer bits than are shifted out.
  Type type = b.getI64Type();
  Value rest = arith::ShRUIOp::create(
      b, loc, arith::IndexCastOp::create(b, loc, type, index), shift);
  Value mask =
      arith::ConstantIntOp::create(b, loc, type, ArgsortOp::kNumCounts - 1);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                    arith::AndIOp::create(b, loc, rest, mask));
}

/// Sorts the positions of `from` by one digit, stably.
void ArgsortLowering::pass(Value from, Value to, Value shift) {
  Value zero = constant(0), one = constant(1);
  Value numCounts = constant(ArgsortOp::kNumCounts);
  loop(zero, numCounts, one,
       [&](Value digit) { store(zero, op.getCounts(), digit); });
  loop(zero, count, one, [&](Value number) {
    Value digit = loadDigit(from, number, shift);
    store(add(loadCount(digit), one), op.getCounts(), digit);
  });
  // Replaces each count by the begin of the positions with this digit.
  loop(numCounts, zero, [&](Value digit, Value begin) {
    Value end = add(begin, loadCount(digit));
    store(begin, op.getCounts(), digit);
    return end;
  });
  loop(zero, count, one, [&](Value number) {
    Value digit = loadDigit(from, number, shift);
    Value place = loadCount(digit);
    store(loadPosition(from, number, count), to, place);
    store(add(place, one), op.getCounts(), digit);
  });
}

void ArgsortLowering::run() {
  Value zero = constant(0), one = constant(1);
  loop(zero, count, one,
       [&](Value number) { store(number, op.getOrder(), number); });
  Value limit =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), op.getLimit());
  Value numUnused = arith::IndexCastOp::create(
      b, loc, b.getIndexType(),
      math::CountLeadingZerosOp::create(b, loc, limit));
  Value numBits = subtract(constant(64), numUnused);
  Value width = arith::ConstantIntOp::create(b, loc, b.getI64Type(),
                                             ArgsortOp::kNumDigitBits);
  // Sorts to `to` and back.
  loop(zero, numBits, constant(2 * ArgsortOp::kNumDigitBits), [&](Value bit) {
    Value shift = arith::IndexCastOp::create(b, loc, b.getI64Type(), bit);
    pass(op.getOrder(), op.getSpare(), shift);
    pass(op.getSpare(), op.getOrder(), add(shift, width));
  });
}

//===----------------------------------------------------------------------===//
// Rows of one index
//===----------------------------------------------------------------------===//

void CombineRowsLowering::run() {
  Value indices = op.getIndices(), rows = op.getRows();
  Value count = sizeOf(indices, 0), flat = flatten(rows);
  Value zero = constant(0), one = constant(1);
  // No limit: indices out of range remain as they are.
  Value limit = arith::ConstantIndexOp::create(b, loc, -1);
  loop(count, zero, [&](Value number, Value first) -> Value {
    Value hasBefore = compare(arith::CmpIPredicate::ne, number, zero);
    Value before =
        arith::SelectOp::create(b, loc, hasBefore, subtract(number, one), zero);
    Value position = loadPosition(op.getOrder(), number, count);
    Value positionBefore = loadPosition(op.getOrder(), before, count);
    Value isSame =
        compare(arith::CmpIPredicate::eq, loadIndex(indices, position, limit),
                loadIndex(indices, positionBefore, limit));
    isSame = arith::AndIOp::create(b, loc, hasBefore, isSame);
    branch(isSame, [&] {
      Value sum = row(rows, flat, first), addend = row(rows, flat, position);
      combine(addend, sum, [&](OpBuilder &nested, ValueRange args) {
        Value total = isa<FloatType>(args[0].getType())
                          ? arith::AddFOp::create(nested, loc, args[1], args[0])
                                .getResult()
                          : arith::AddIOp::create(nested, loc, args[1], args[0])
                                .getResult();
        return SmallVector<Value>{total};
      });
      Value none = arith::ConstantOp::create(
          b, loc, b.getZeroAttr(getElementTypeOrSelf(rows)));
      linalg::FillOp::create(b, loc, none, addend);
    });
    return arith::SelectOp::create(b, loc, isSame, first, position);
  });
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

void UpdateRowsLowering::update(Value begin, OpFoldResult size,
                                Value gradient) {
  SmallVector<Value> outs;
  for (auto [table, flat] : llvm::zip_equal(op.getTables(), flatTables))
    outs.push_back(slice(table, flat, begin, size));
  SmallVector<Value> inputs;
  if (gradient)
    inputs.push_back(gradient);
  Block &rule = op.getBody().front();
  combine(inputs, outs, [&](OpBuilder &nested, ValueRange args) {
    IRMapping mapping;
    BlockArgument element = rule.getArgument(0);
    mapping.map(element, gradient ? args.front()
                                  : arith::ConstantOp::create(
                                        nested, loc,
                                        nested.getZeroAttr(element.getType())));
    mapping.map(rule.getArguments().drop_front(),
                args.drop_front(gradient ? 1 : 0));
    for (Operation &inner : rule.without_terminator())
      nested.clone(inner, mapping);
    SmallVector<Value> updated;
    for (Value value : rule.getTerminator()->getOperands())
      updated.push_back(mapping.lookupOrDefault(value));
    return updated;
  });
}

/// Returns the index before number `number` of the order; -1 if there is none.
Value UpdateRowsLowering::loadIndexBefore(Value number) {
  Value hasBefore = compare(arith::CmpIPredicate::ne, number, constant(0));
  auto branch = scf::IfOp::create(b, loc, b.getIndexType(), hasBefore,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc, loadIndexAt(subtract(number, constant(1))));
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, constant(-1));
  return branch.getResult(0);
}

void UpdateRowsLowering::run() {
  Value zero = constant(0), one = constant(1);
  loop(zero, count, one, [&](Value number) {
    Value index = loadIndexAt(number), before = loadIndexBefore(number);
    // An index out of range counts as the limit, and comes last.
    Value isFirst = compare(arith::CmpIPredicate::ne, index, before);
    Value isInside = compare(arith::CmpIPredicate::ult, index, limit);
    if (op.getAll()) {
      Value begin = add(before, one);
      // If the indices are not in order, this size may be negative.
      Value isAny = compare(arith::CmpIPredicate::slt, begin, index);
      branch(isAny, [&] { update(begin, subtract(index, begin), {}); });
    }
    Value isUpdated = arith::AndIOp::create(b, loc, isFirst, isInside);
    branch(isUpdated, [&] {
      Value position = loadPosition(op.getOrder(), number, count);
      update(index, b.getIndexAttr(1), row(op.getRows(), flatRows, position));
    });
  });
  if (!op.getAll())
    return;
  // The rows after the last index.
  Value begin = add(loadIndexBefore(count), one);
  Value isAny = compare(arith::CmpIPredicate::slt, begin, limit);
  branch(isAny, [&] { update(begin, subtract(limit, begin), {}); });
}

void flywheel::lowerRows(ArgsortOp op) { ArgsortLowering(op).run(); }
void flywheel::lowerRows(CombineRowsOp op) { CombineRowsLowering(op).run(); }
void flywheel::lowerRows(UpdateRowsOp op) { UpdateRowsLowering(op).run(); }
