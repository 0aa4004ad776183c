//===- LowerLinalgExt.cpp - The flywheel-lower-linalg-ext pass ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op becomes loops over the indices that decide which slices it reads and
// writes, around `linalg` ops on these slices, which are vectorized as any
// other.
//
//===----------------------------------------------------------------------===//

#include "LoopEmitter.h"
#include "LowerRows.h"
#include "LowerTriangular.h"

#include "flywheel/Codegen/Common/CodegenCommonPasses.h"
#include "flywheel/Codegen/Common/ScanStep.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_LOWERLINALGEXT
#include "flywheel/Codegen/Common/CodegenCommonPasses.h.inc"
} // namespace flywheel

using namespace flywheel::linalg_ext;
using flywheel::emitScanNeutral;
using flywheel::emitScanStep;
using flywheel::Part;

namespace {
/// Emits the replacement of one op.
class Lowering : flywheel::LoopEmitter {
public:
  using LoopEmitter::LoopEmitter;

  void lower(GatherOp op);
  void lower(ScatterOp op);
  void lower(ScanOp op);
  void lower(FindOutsideOp op);

private:
  Value add(OpBuilder &nested, Value lhs, Value rhs);
  Value loadIndex(Value indices, ValueRange position);

  void scanLast(ScanOp op);
  void scanSlices(ScanOp op);
};
} // namespace

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value Lowering::add(OpBuilder &nested, Value lhs, Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return arith::AddFOp::create(nested, loc, lhs, rhs);
  return arith::AddIOp::create(nested, loc, lhs, rhs);
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

/// Emits a branch that a successful step does not take.
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
  // A flag that is true until an index out of range is found, and that index.
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

/// Scans the last dimension, with the number in a register.
void Lowering::scanLast(ScanOp op) {
  Value x = op.getX(), out = op.getInit();
  int64_t axis = op.getAxis();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < axis; ++dim)
    sizes.push_back(sizeValue(x, dim));
  Value count = sizeValue(x, axis), one = constant(1);
  Value last = arith::SubIOp::create(b, loc, count, one);
  nest(sizes, [&](ValueRange ivs) {
    Value none = emitScanNeutral(b, op);
    OpBuilder::InsertionGuard guard(b);
    auto steps = scf::ForOp::create(b, loc, constant(0), count, one, none);
    b.setInsertionPointToStart(steps.getBody());
    SmallVector<Value> position(ivs);
    position.push_back(steps.getInductionVar());
    if (op.getReverse())
      position.back() = arith::SubIOp::create(b, loc, last, position.back());
    Value before = steps.getRegionIterArg(0);
    Value element = memref::LoadOp::create(b, loc, x, position);
    Value after = emitScanStep(b, op, before, element);
    memref::StoreOp::create(b, loc, op.getExclusive() ? before : after, out,
                            position);
    scf::YieldOp::create(b, loc, after);
  });
}

/// Scans another dimension: combines the previous slice of the result and one
/// of x.
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
      linalg::FillOp::create(b, loc, emitScanNeutral(b, op), target);
    });
    loop(one, count, [&](Value number) {
      Value previous = arith::SubIOp::create(b, loc, number, one);
      Value before = sliceAt(out, previous);
      Value elements = sliceAt(x, op.getExclusive() ? previous : number);
      Value target = sliceAt(out, number);
      SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(rankOf(target)));
      combine({before, elements}, target, maps,
              [&](OpBuilder &nested, ValueRange args) {
                return emitScanStep(nested, op, args[0], args[1]);
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

/// Returns true if the buffer that `op` writes is known to be empty.
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
          isa<DestinationStyleOpInterface, FindOutsideOp>(op) &&
          !isa<HostCallOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>)) {
        op->emitOpError() << "expected memref operands: loops are made after "
                             "bufferization";
        return signalPassFailure();
      }
      if (auto sort = dyn_cast<ArgsortOp>(op); sort && !sort.getCounts()) {
        op->emitOpError() << "expected room for counts, which a sort on a CPU "
                             "needs; found none";
        return signalPassFailure();
      }
      // The op does nothing, and has no slice.
      if (isEmpty(op)) {
        op->erase();
        continue;
      }
      TypeSwitch<Operation *>(op)
          .Case<FindOutsideOp, GatherOp, ScatterOp, ScanOp>(
              [](auto typed) { Lowering(typed).lower(typed); })
          .Case<CholeskyOp>(flywheel::lowerCholesky)
          .Case<TriangularSolveOp>(flywheel::lowerTriangularSolve)
          .Case<ArgsortOp, CombineRowsOp, UpdateRowsOp>(
              [](auto typed) { flywheel::lowerRows(typed); });
      op->erase();
    }
    lowerChecks(getOperation());
  }
};
} // namespace
