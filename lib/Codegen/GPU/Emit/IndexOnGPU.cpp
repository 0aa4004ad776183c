//===- IndexOnGPU.cpp - linalg_ext ops as launches ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexEmitter.h"

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::linalg_ext;

namespace flywheel {
#define GEN_PASS_DEF_INDEXONGPU
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

namespace {
class GatherEmitter : IndexEmitter {
public:
  explicit GatherEmitter(GatherOp op) : IndexEmitter(op), op(op) {}
  void emit();

private:
  GatherOp op;
};

/// Launches a thread for each element of a slice, which visits the few indices
/// in their order: no two threads write to one element, and sums are those of a
/// loop.
class InOrderEmitter : IndexEmitter {
public:
  explicit InOrderEmitter(ScatterOp op) : IndexEmitter(op), op(op) {}
  void emit();

private:
  void store(ArrayRef<Value> outer, ValueRange position, ArrayRef<Value> inner,
             Value limit);

  ScatterOp op;
};
} // namespace

/// Launches a thread for each element of the result; elements for indices out
/// of range are zeros.
void GatherEmitter::emit() {
  Value x = op.getX(), indices = op.getIndices(), out = op.getInit();
  auto axis = static_cast<size_t>(op.getAxis());
  auto numIndices = static_cast<size_t>(rankOf(indices));
  Value limit = sizeOf(x, op.getAxis());
  SmallVector<Value> sizes = sizesOf(out);
  SmallVector<Value> place = delinearize(launchElements(product(sizes)), sizes);
  ArrayRef<Value> all(place);
  Value index = loadIndex(indices, all.slice(axis, numIndices));
  SmallVector<Value> from(all.take_front(axis));
  from.push_back(index);
  llvm::append_range(from, all.drop_front(axis + numIndices));
  // A negative index is a large unsigned number.
  Value isInside = compare(arith::CmpIPredicate::ult, index, limit);
  Value zero = arith::ConstantOp::create(
      b, loc, b.getZeroAttr(getElementTypeOrSelf(out)));
  Value element = choose(
      isInside,
      [&]() -> Value { return memref::LoadOp::create(b, loc, x, from); }, zero);
  memref::StoreOp::create(b, loc, element, out, place);
}

void InOrderEmitter::store(ArrayRef<Value> outer, ValueRange position,
                           ArrayRef<Value> inner, Value limit) {
  Value index = loadIndex(op.getIndices(), position);
  branch(compare(arith::CmpIPredicate::ult, index, limit), [&] {
    SmallVector<Value> from(outer), to(outer);
    llvm::append_range(from, position);
    llvm::append_range(from, inner);
    to.push_back(index);
    llvm::append_range(to, inner);
    Value update = memref::LoadOp::create(b, loc, op.getUpdates(), from);
    if (op.getKind() == ScatterKind::add)
      update = sum(memref::LoadOp::create(b, loc, op.getInit(), to), update);
    memref::StoreOp::create(b, loc, update, op.getInit(), to);
  });
}

void InOrderEmitter::emit() {
  auto axis = static_cast<size_t>(op.getAxis());
  SmallVector<Value> sizes = sizesOf(op.getInit());
  Value limit = sizes[axis];
  sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(axis));
  SmallVector<Value> ends = sizesOf(op.getIndices());
  SmallVector<Value> begins(ends.size(), constant(0)),
      steps(ends.size(), constant(1));
  // The position in a slice.
  SmallVector<Value> place = delinearize(launchElements(product(sizes)), sizes);
  ArrayRef<Value> outer = ArrayRef(place).take_front(axis),
                  inner = ArrayRef(place).drop_front(axis);
  if (ends.empty())
    return store(outer, {}, inner, limit);
  scf::buildLoopNest(b, loc, begins, ends, steps,
                     [&](OpBuilder &nested, Location, ValueRange position) {
                       OpBuilder::InsertionGuard guard(b);
                       b.restoreInsertionPoint(nested.saveInsertionPoint());
                       store(outer, position, inner, limit);
                     });
}

namespace {
struct IndexOnGPU : flywheel::impl::IndexOnGPUBase<IndexOnGPU> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function->hasAttr(train::TrainDialect::getInitializerAttrName()))
      return;
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (isa<GatherOp, ScatterOp, ArgsortOp, CombineRowsOp, UpdateRowsOp,
              ScanOp, CholeskyOp, TriangularSolveOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>)) {
        op->emitOpError("expected memref operands: launches are made after "
                        "bufferization");
        return signalPassFailure();
      }
    for (Operation *op : ops) {
      TypeSwitch<Operation *>(op)
          .Case([](GatherOp gather) { GatherEmitter(gather).emit(); })
          .Case(launchArgsort)
          .Case(launchCombineRows)
          .Case(launchUpdateRows)
          .Case(launchScan)
          .Case(launchCholesky)
          .Case(launchTriangularSolve)
          .Case([](ScatterOp scatter) {
            scatter.getOrder() ? launchScatter(scatter)
                               : InOrderEmitter(scatter).emit();
          });
      op->erase();
    }
  }
};
} // namespace
