//===- IndexOnGPU.cpp - Slices at indices as launches ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementLaunch.h"
#include "IndexEmitter.h"

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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

static int64_t rankOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getRank();
}

static Value sizeOf(OpBuilder &b, Location loc, Value buffer, int64_t dim) {
  return getValueOrCreateConstantIndexOp(
      b, loc, memref::getMixedSize(b, loc, buffer, dim));
}

static Value loadIndex(OpBuilder &b, Location loc, Value indices,
                       ValueRange position) {
  Value index = memref::LoadOp::create(b, loc, indices, position);
  if (index.getType().isInteger(1))
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), index);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
}

/// A negative index is a large unsigned number.
static Value isInside(OpBuilder &b, Location loc, Value index, Value limit) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, limit);
}

/// A structured op on the result, whose elements are at loaded indices; those
/// out of range are zeros.
static void lowerGather(GatherOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value x = op.getX(), indices = op.getIndices(), out = op.getInit();
  auto axis = static_cast<size_t>(op.getAxis());
  auto numIndices = static_cast<size_t>(rankOf(indices));
  Value limit = sizeOf(b, loc, x, op.getAxis());
  int64_t rank = rankOf(out);
  AffineMap map = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, loc, ValueRange(), ValueRange(out), map, iterators,
      [&](OpBuilder &nested, Location, ValueRange) {
        SmallVector<Value> ivs;
        for (int64_t dim = 0; dim < rank; ++dim)
          ivs.push_back(linalg::IndexOp::create(nested, loc, dim));
        ArrayRef<Value> all(ivs);
        Value index =
            loadIndex(nested, loc, indices, all.slice(axis, numIndices));
        SmallVector<Value> from(all.take_front(axis));
        from.push_back(index);
        llvm::append_range(from, all.drop_front(axis + numIndices));
        Type element = getElementTypeOrSelf(out);
        auto choice = scf::IfOp::create(nested, loc, TypeRange(element),
                                        isInside(nested, loc, index, limit),
                                        /*withElseRegion=*/true);
        {
          OpBuilder::InsertionGuard guard(nested);
          nested.setInsertionPointToStart(choice.thenBlock());
          Value found = memref::LoadOp::create(nested, loc, x, from);
          scf::YieldOp::create(nested, loc, found);
          nested.setInsertionPointToStart(choice.elseBlock());
          Value zero = arith::ConstantOp::create(nested, loc,
                                                 nested.getZeroAttr(element));
          scf::YieldOp::create(nested, loc, zero);
        }
        linalg::YieldOp::create(nested, loc, choice.getResults());
      });
}

/// A launch with a thread for each element of a slice, which goes over the few
/// indices in their order: no two threads write to one element, and sums are
/// those of a loop.
static void scatterInOrder(ScatterOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value indices = op.getIndices(), updates = op.getUpdates(),
        out = op.getInit();
  int64_t axis = op.getAxis(), rank = rankOf(out);
  Value limit = sizeOf(b, loc, out, axis);
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  Value zero = constant(0), one = constant(1), count = one;
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == axis)
      continue;
    sizes.push_back(sizeOf(b, loc, out, dim));
    count = b.createOrFold<arith::MulIOp>(loc, count, sizes.back());
  }
  SmallVector<Value> ends;
  for (int64_t dim = 0; dim < rankOf(indices); ++dim)
    ends.push_back(sizeOf(b, loc, indices, dim));
  Value number = emitElementLaunch(b, loc, count).number;
  // Where in a slice.
  SmallVector<Value> place(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    place[dim] = number;
    if (dim == 0)
      break;
    place[dim] = b.createOrFold<arith::RemUIOp>(loc, number, sizes[dim]);
    number = b.createOrFold<arith::DivUIOp>(loc, number, sizes[dim]);
  }
  SmallVector<Value> begins(ends.size(), zero), steps(ends.size(), one);
  ArrayRef<Value> outer = ArrayRef(place).take_front(axis),
                  inner = ArrayRef(place).drop_front(axis);
  auto emitOne = [&](OpBuilder &nested, ValueRange position) {
    Value index = loadIndex(nested, loc, indices, position);
    auto branch =
        scf::IfOp::create(nested, loc, isInside(nested, loc, index, limit));
    OpBuilder in = branch.getThenBodyBuilder();
    SmallVector<Value> from(outer), to(outer);
    llvm::append_range(from, position);
    llvm::append_range(from, inner);
    to.push_back(index);
    llvm::append_range(to, inner);
    Value update = memref::LoadOp::create(in, loc, updates, from);
    if (op.getKind() != ScatterKind::replace) {
      Value sum = memref::LoadOp::create(in, loc, out, to);
      update = isa<FloatType>(update.getType())
                   ? arith::AddFOp::create(in, loc, sum, update).getResult()
                   : arith::AddIOp::create(in, loc, sum, update).getResult();
    }
    memref::StoreOp::create(in, loc, update, out, to);
  };
  if (ends.empty())
    emitOne(b, {});
  else
    scf::buildLoopNest(b, loc, begins, ends, steps,
                       [&](OpBuilder &nested, Location, ValueRange position) {
                         emitOne(nested, position);
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
      if (isa<GatherOp, ScatterOp, ArgsortOp, CombineRowsOp, UpdateRowsOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      TypeSwitch<Operation *>(op)
          .Case(lowerGather)
          .Case(launchArgsort)
          .Case(launchCombineRows)
          .Case(launchUpdateRows)
          .Case([](ScatterOp scatter) {
            scatter.getOrder() ? launchScatter(scatter)
                               : scatterInOrder(scatter);
          });
      op->erase();
    }
  }
};
} // namespace
