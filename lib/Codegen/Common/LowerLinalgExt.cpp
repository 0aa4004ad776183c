//===- LowerLinalgExt.cpp - The flywheel-lower-linalg-ext pass ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op becomes loops over what decides where it reads and writes, around
// `linalg` ops on the slices in question, which are vectorized as any other.
//
//===----------------------------------------------------------------------===//

#include "LowerRows.h"

#include "flywheel/Codegen/Common/CodegenCommonPasses.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LOWERLINALGEXT
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

using namespace flywheel::linalg_ext;

namespace {
/// What a slice takes of one dimension of a buffer.
struct Part {
  OpFoldResult offset, size;
  /// One position, whose dimension disappears.
  bool isPosition;
};

/// Emits what replaces one op.
class Lowering {
public:
  explicit Lowering(Operation *op) : b(op), loc(op->getLoc()) {}

  void lower(GatherOp op);
  void lower(ScatterOp op);
  void lower(ScanOp op);
  void lower(CholeskyOp op);
  void lower(TriangularSolveOp op);
  void lower(FindOutsideOp op);

private:
  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(b, loc, number);
  }
  OpFoldResult size(Value buffer, int64_t dim) {
    return memref::getMixedSize(b, loc, buffer, dim);
  }
  Value sizeValue(Value buffer, int64_t dim) {
    return getValueOrCreateConstantIndexOp(b, loc, size(buffer, dim));
  }
  int64_t rankOf(Value buffer) {
    return cast<MemRefType>(buffer.getType()).getRank();
  }

  static Part at(OpFoldResult position) { return {position, {}, true}; }
  static void append(SmallVectorImpl<Part> &parts, ValueRange positions) {
    for (Value position : positions)
      parts.push_back(at(position));
  }
  /// Takes all of the dimensions from `first` on.
  void appendRest(SmallVectorImpl<Part> &parts, Value buffer, int64_t first) {
    for (int64_t dim = first; dim < rankOf(buffer); ++dim)
      parts.push_back({b.getIndexAttr(0), size(buffer, dim), false});
  }
  Value slice(Value buffer, ArrayRef<Part> parts);

  /// A loop nest over the given sizes.
  void nest(ArrayRef<Value> sizes, function_ref<void(ValueRange)> body);
  void loop(Value begin, Value end, function_ref<void(Value)> body);
  /// A structured op that combines slices; `maps` has that of `out` last.
  void combine(ValueRange inputs, Value out, ArrayRef<AffineMap> maps,
               function_ref<Value(OpBuilder &, ValueRange)> body);
  Value add(OpBuilder &nested, Value lhs, Value rhs);
  /// log(exp(lhs) + exp(rhs)).
  Value logAddExp(OpBuilder &nested, Value lhs, Value rhs);
  Value loadIndex(Value indices, ValueRange position);
  /// out -= sum over k of `row[k] * rest[k]`.
  void subtractProducts(Value row, Value rest, Value out);

  /// What a scan of no element gives.
  Value neutral(ScanOp op);
  /// One step of a scan.
  Value step(ScanOp op, OpBuilder &nested, Value before, Value element);

  void scanLast(ScanOp op);
  void scanSlices(ScanOp op);
  void factorize(Value matrix, Value success);

  OpBuilder b;
  Location loc;
};
} // namespace

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value Lowering::slice(Value buffer, ArrayRef<Part> parts) {
  SmallVector<OpFoldResult> offsets, sizes,
      strides(parts.size(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (const Part &part : parts) {
    offsets.push_back(part.offset);
    if (part.isPosition) {
      sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    // A constant that is a value counts as dynamic where types are inferred.
    std::optional<int64_t> size = getConstantIntValue(part.size);
    sizes.push_back(size ? OpFoldResult(b.getIndexAttr(*size)) : part.size);
    shape.push_back(size.value_or(ShapedType::kDynamic));
  }
  auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(buffer.getType()), offsets, sizes, strides));
  return memref::SubViewOp::create(b, loc, type, buffer, offsets, sizes,
                                   strides);
}

void Lowering::nest(ArrayRef<Value> sizes,
                    function_ref<void(ValueRange)> body) {
  SmallVector<Value> begins(sizes.size(), constant(0)),
      steps(sizes.size(), constant(1));
  OpBuilder::InsertionGuard guard(b);
  scf::buildLoopNest(b, loc, begins, sizes, steps,
                     [&](OpBuilder &nested, Location, ValueRange ivs) {
                       b.restoreInsertionPoint(nested.saveInsertionPoint());
                       body(ivs);
                       nested.restoreInsertionPoint(b.saveInsertionPoint());
                     });
}

void Lowering::loop(Value begin, Value end, function_ref<void(Value)> body) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, loc, begin, end, constant(1));
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void Lowering::combine(ValueRange inputs, Value out, ArrayRef<AffineMap> maps,
                       function_ref<Value(OpBuilder &, ValueRange)> body) {
  SmallVector<utils::IteratorType> iterators(maps.back().getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : maps.back().getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  linalg::GenericOp::create(b, loc, inputs, out, maps, iterators,
                            [&](OpBuilder &nested, Location, ValueRange args) {
                              linalg::YieldOp::create(nested, loc,
                                                      body(nested, args));
                            });
}

Value Lowering::add(OpBuilder &nested, Value lhs, Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return arith::AddFOp::create(nested, loc, lhs, rhs);
  return arith::AddIOp::create(nested, loc, lhs, rhs);
}

Value Lowering::logAddExp(OpBuilder &nested, Value lhs, Value rhs) {
  // max + log1p(exp(-|lhs - rhs|)): the exponential is at most 1. The
  // difference of two equal infinities is 0, not NaN.
  Value max = arith::MaximumFOp::create(nested, loc, lhs, rhs);
  Value zero =
      arith::ConstantOp::create(nested, loc, nested.getZeroAttr(lhs.getType()));
  Value isEqual =
      arith::CmpFOp::create(nested, loc, arith::CmpFPredicate::OEQ, lhs, rhs);
  Value difference = arith::SubFOp::create(nested, loc, lhs, rhs);
  Value distance = math::AbsFOp::create(nested, loc, difference);
  distance = arith::SelectOp::create(nested, loc, isEqual, zero, distance);
  Value exponent = arith::NegFOp::create(nested, loc, distance);
  Value share = math::ExpOp::create(nested, loc, exponent);
  return add(nested, max, math::Log1pOp::create(nested, loc, share));
}

Value Lowering::loadIndex(Value indices, ValueRange position) {
  Value index = memref::LoadOp::create(b, loc, indices, position);
  if (index.getType().isInteger(1))
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), index);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
}

//===----------------------------------------------------------------------===//
// Slices at indices
//===----------------------------------------------------------------------===//

void Lowering::lower(GatherOp op) {
  Value x = op.getX(), indices = op.getIndices(), out = op.getInit();
  int64_t axis = op.getAxis();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < axis + rankOf(indices); ++dim)
    sizes.push_back(sizeValue(out, dim));
  Value limit = sizeValue(x, axis);
  nest(sizes, [&](ValueRange ivs) {
    Value index = loadIndex(indices, ivs.drop_front(axis));
    // A negative index is a large unsigned number.
    Value isInside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, limit);
    SmallVector<Part> from, to;
    append(from, ivs.take_front(axis));
    from.push_back(at(index));
    appendRest(from, x, axis + 1);
    append(to, ivs);
    appendRest(to, out, ivs.size());
    Value target = slice(out, to);
    auto branch = scf::IfOp::create(b, loc, isInside, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    linalg::CopyOp::create(b, loc, slice(x, from), target);
    b.setInsertionPoint(branch.elseYield());
    Value zero = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(getElementTypeOrSelf(out)));
    linalg::FillOp::create(b, loc, zero, target);
  });
}

/// A branch that a step which succeeds does not take.
void Lowering::lower(FindOutsideOp op) {
  Value indices = op.getIndices();
  auto branch = scf::IfOp::create(b, loc, b.getIndexType(), op.getOk(),
                                  /*withElseRegion=*/true);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc, constant(0));
  b.setInsertionPointToEnd(branch.elseBlock());
  SmallVector<Value> begins(rankOf(indices), constant(0)),
      steps(rankOf(indices), constant(1)), sizes;
  for (int64_t dim = 0; dim < rankOf(indices); ++dim)
    sizes.push_back(sizeValue(indices, dim));
  // Whether none has been found, and the one that has.
  SmallVector<Value> inits = {
      arith::ConstantOp::create(b, loc, b.getBoolAttr(true)), constant(0)};
  auto findIn = [&](ValueRange position, ValueRange before) {
    Value index = loadIndex(indices, position);
    Value found = arith::SelectOp::create(b, loc, before[0], index, before[1]);
    Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           index, op.getLimit());
    Value none = arith::AndIOp::create(b, loc, before[0], isInside);
    return scf::ValueVector{none, found};
  };
  scf::ValueVector found =
      rankOf(indices) == 0
          ? findIn({}, inits)
          : scf::buildLoopNest(b, loc, begins, sizes, steps, inits,
                               [&](OpBuilder &nested, Location, ValueRange ivs,
                                   ValueRange before) {
                                 OpBuilder::InsertionGuard guard(b);
                                 b.restoreInsertionPoint(
                                     nested.saveInsertionPoint());
                                 return findIn(ivs, before);
                               })
                .results;
  scf::YieldOp::create(b, loc, found[1]);
  op.getResult().replaceAllUsesWith(branch.getResult(0));
}

void Lowering::lower(ScatterOp op) {
  Value indices = op.getIndices(), updates = op.getUpdates(),
        out = op.getInit();
  int64_t axis = op.getAxis();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < axis + rankOf(indices); ++dim)
    sizes.push_back(sizeValue(updates, dim));
  Value limit = sizeValue(out, axis);
  nest(sizes, [&](ValueRange ivs) {
    Value index = loadIndex(indices, ivs.drop_front(axis));
    Value isInside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, limit);
    auto branch = scf::IfOp::create(b, loc, isInside, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    SmallVector<Part> from, to;
    append(from, ivs);
    appendRest(from, updates, ivs.size());
    append(to, ivs.take_front(axis));
    to.push_back(at(index));
    appendRest(to, out, axis + 1);
    Value source = slice(updates, from), target = slice(out, to);
    if (op.getKind() == ScatterKind::replace) {
      linalg::CopyOp::create(b, loc, source, target);
      return;
    }
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rankOf(target)));
    combine(source, target, maps, [&](OpBuilder &nested, ValueRange args) {
      return add(nested, args[1], args[0]);
    });
  });
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

Value Lowering::neutral(ScanOp op) {
  Type type = getElementTypeOrSelf(op.getInit());
  switch (op.getKind()) {
  case ScanKind::add:
    return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  case ScanKind::mul:
    return arith::ConstantOp::create(b, loc, b.getOneAttr(type));
  case ScanKind::logaddexp: {
    auto lowest = APFloat::getInf(cast<FloatType>(type).getFloatSemantics(),
                                  /*Negative=*/true);
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, lowest));
  }
  }
  llvm_unreachable("unknown kind of scan");
}

Value Lowering::step(ScanOp op, OpBuilder &nested, Value before,
                     Value element) {
  if (op.getKind() == ScanKind::add)
    return add(nested, before, element);
  if (op.getKind() == ScanKind::logaddexp)
    return logAddExp(nested, before, element);
  if (isa<FloatType>(before.getType()))
    return arith::MulFOp::create(nested, loc, before, element);
  return arith::MulIOp::create(nested, loc, before, element);
}

/// The last dimension: a number in a register.
void Lowering::scanLast(ScanOp op) {
  Value x = op.getX(), out = op.getInit();
  int64_t axis = op.getAxis();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < axis; ++dim)
    sizes.push_back(sizeValue(x, dim));
  Value count = sizeValue(x, axis), one = constant(1);
  Value last = arith::SubIOp::create(b, loc, count, one);
  nest(sizes, [&](ValueRange ivs) {
    Value none = neutral(op);
    OpBuilder::InsertionGuard guard(b);
    auto steps = scf::ForOp::create(b, loc, constant(0), count, one, none);
    b.setInsertionPointToStart(steps.getBody());
    SmallVector<Value> position(ivs);
    position.push_back(steps.getInductionVar());
    if (op.getReverse())
      position.back() = arith::SubIOp::create(b, loc, last, position.back());
    Value before = steps.getRegionIterArg(0);
    Value element = memref::LoadOp::create(b, loc, x, position);
    Value after = step(op, b, before, element);
    memref::StoreOp::create(b, loc, op.getExclusive() ? before : after, out,
                            position);
    scf::YieldOp::create(b, loc, after);
  });
}

/// Another dimension: each slice is the one before and one of x.
void Lowering::scanSlices(ScanOp op) {
  Value x = op.getX(), out = op.getInit();
  int64_t axis = op.getAxis();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < axis; ++dim)
    sizes.push_back(sizeValue(x, dim));
  Value count = sizeValue(x, axis), one = constant(1);
  Value last = arith::SubIOp::create(b, loc, count, one);
  Value first = arith::MinSIOp::create(b, loc, count, one);
  nest(sizes, [&](ValueRange ivs) {
    auto sliceAt = [&](Value buffer, Value number) {
      if (op.getReverse())
        number = arith::SubIOp::create(b, loc, last, number);
      SmallVector<Part> parts;
      append(parts, ivs);
      parts.push_back(at(number));
      appendRest(parts, buffer, axis + 1);
      return slice(buffer, parts);
    };
    loop(constant(0), first, [&](Value number) {
      Value target = sliceAt(out, number);
      if (!op.getExclusive()) {
        linalg::CopyOp::create(b, loc, sliceAt(x, number), target);
        return;
      }
      linalg::FillOp::create(b, loc, neutral(op), target);
    });
    loop(one, count, [&](Value number) {
      Value previous = arith::SubIOp::create(b, loc, number, one);
      Value before = sliceAt(out, previous);
      Value elements = sliceAt(x, op.getExclusive() ? previous : number);
      Value target = sliceAt(out, number);
      SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(rankOf(target)));
      combine({before, elements}, target, maps,
              [&](OpBuilder &nested, ValueRange args) {
                return step(op, nested, args[0], args[1]);
              });
    });
  });
}

void Lowering::lower(ScanOp op) {
  if (static_cast<int64_t>(op.getAxis()) + 1 == rankOf(op.getX()))
    scanLast(op);
  else
    scanSlices(op);
}

//===----------------------------------------------------------------------===//
// Triangular systems
//===----------------------------------------------------------------------===//

void Lowering::subtractProducts(Value row, Value rest, Value out) {
  int64_t numColumns = rankOf(out);
  AffineExpr k = b.getAffineDimExpr(numColumns);
  SmallVector<AffineExpr> columns;
  for (int64_t dim = 0; dim < numColumns; ++dim)
    columns.push_back(b.getAffineDimExpr(dim));
  SmallVector<AffineExpr> products = {k};
  llvm::append_range(products, columns);
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(numColumns + 1, 0, exprs, b.getContext());
  };
  combine({row, rest}, out, {map(k), map(products), map(columns)},
          [&](OpBuilder &nested, ValueRange args) {
            Value minus = arith::NegFOp::create(nested, loc, args[0]);
            Value product = arith::MulFOp::create(nested, loc, minus, args[1]);
            return arith::AddFOp::create(nested, loc, args[2], product);
          });
}

/// Row by row (Cholesky-Banachiewicz): with a the matrix and l its factor,
/// l[i, j] = (a[i, j] - sum over k < j of l[i, k] l[j, k]) / l[j, j].
void Lowering::factorize(Value matrix, Value success) {
  Type type = getElementTypeOrSelf(matrix);
  Value zero = constant(0);
  Value floatZero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  auto leadingPart = [&](Value row, Value size) {
    return slice(matrix, {at(row), {b.getIndexAttr(0), size, false}});
  };
  loop(zero, sizeValue(matrix, 0), [&](Value i) {
    loop(zero, i, [&](Value j) {
      subtractProducts(leadingPart(j, j), leadingPart(i, j),
                       slice(matrix, {at(i), at(j)}));
      Value element = memref::LoadOp::create(b, loc, matrix, ValueRange{i, j});
      Value pivot = memref::LoadOp::create(b, loc, matrix, ValueRange{j, j});
      Value scaled = arith::DivFOp::create(b, loc, element, pivot);
      memref::StoreOp::create(b, loc, scaled, matrix, ValueRange{i, j});
    });
    subtractProducts(leadingPart(i, i), leadingPart(i, i),
                     slice(matrix, {at(i), at(i)}));
    Value square = memref::LoadOp::create(b, loc, matrix, ValueRange{i, i});
    // False for a NaN too.
    Value isPositive = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                             square, floatZero);
    Value before = memref::LoadOp::create(b, loc, success, ValueRange());
    memref::StoreOp::create(b, loc,
                            arith::AndIOp::create(b, loc, before, isPositive),
                            success, ValueRange());
    memref::StoreOp::create(b, loc, math::SqrtOp::create(b, loc, square),
                            matrix, ValueRange{i, i});
  });
}

void Lowering::lower(CholeskyOp op) {
  Value matrices = op.getInit();
  int64_t rank = rankOf(matrices);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    sizes.push_back(sizeValue(matrices, dim));
  nest(sizes, [&](ValueRange ivs) {
    SmallVector<Part> parts;
    append(parts, ivs);
    appendRest(parts, matrices, rank - 2);
    factorize(slice(matrices, parts), op.getSuccess());
  });
}

void Lowering::lower(TriangularSolveOp op) {
  Value all = op.getInit();
  int64_t rank = rankOf(all);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    sizes.push_back(sizeValue(all, dim));
  nest(sizes, [&](ValueRange ivs) {
    auto matrixOf = [&](Value batch) {
      SmallVector<Part> parts;
      append(parts, ivs);
      appendRest(parts, batch, rank - 2);
      return slice(batch, parts);
    };
    Value a = matrixOf(op.getA()), x = matrixOf(all);
    Value count = sizeValue(x, 0), one = constant(1);
    Value last = arith::SubIOp::create(b, loc, count, one);
    // op(a) is a lower triangle: the first row has one unknown.
    bool isForward = op.getUpper() == op.getTranspose();
    loop(constant(0), count, [&](Value step) {
      Value row = isForward
                      ? step
                      : arith::SubIOp::create(b, loc, last, step).getResult();
      OpFoldResult begin = b.getIndexAttr(0);
      if (!isForward)
        begin = arith::AddIOp::create(b, loc, row, one).getResult();
      Part known{begin, step, false};
      SmallVector<Part> factors = {at(row), known}, solved = {known},
                        target = {at(row)};
      if (op.getTranspose())
        std::swap(factors[0], factors[1]);
      appendRest(solved, x, 1);
      appendRest(target, x, 1);
      Value out = slice(x, target);
      subtractProducts(slice(a, factors), slice(x, solved), out);
      if (op.getUnitDiagonal())
        return;
      Value pivot = memref::LoadOp::create(b, loc, a, ValueRange{row, row});
      combine({}, out, b.getMultiDimIdentityMap(1),
              [&](OpBuilder &nested, ValueRange args) {
                return arith::DivFOp::create(nested, loc, args[0], pivot);
              });
    });
  });
}

/// Whether what `op` writes is known to have no element.
static bool isEmpty(Operation *op) {
  auto styled = dyn_cast<DestinationStyleOpInterface>(op);
  if (!styled)
    return false;
  Value init = styled.getDpsInits().front();
  return llvm::is_contained(cast<MemRefType>(init.getType()).getShape(), 0);
}

namespace {
struct LowerLinalgExt : flywheel::impl::LowerLinalgExtBase<LowerLinalgExt> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_present<LinalgExtDialect>(op->getDialect()) &&
          isa<DestinationStyleOpInterface, FindOutsideOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>)) {
        op->emitOpError() << "expected memref operands: loops are made after "
                             "bufferization";
        return signalPassFailure();
      }
      // Nothing to do, and no slice to take.
      if (isEmpty(op)) {
        op->erase();
        continue;
      }
      TypeSwitch<Operation *>(op)
          .Case<FindOutsideOp, GatherOp, ScatterOp, ScanOp, CholeskyOp,
                TriangularSolveOp>(
              [](auto typed) { Lowering(typed).lower(typed); })
          .Case<ArgsortOp, CombineRowsOp, UpdateRowsOp>(
              [](auto typed) { flywheel::lowerRows(typed); });
      op->erase();
    }
    lowerConditions(getOperation());
  }
};
} // namespace
