//===- MapToGPU.cpp - Structured ops as launches --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_MAPTOGPU
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

/// Threads of a block: enough to hide latency, in whole warps.
static constexpr int64_t kBlockSize = 128;
/// Blocks beyond these wait for others anyway: threads go on with the next
/// iteration instead.
static constexpr int64_t kMaxBlocks = 65536;

namespace {
/// Emits the launch of one structured op.
class LaunchEmitter {
public:
  explicit LaunchEmitter(linalg::LinalgOp op)
      : op(op), b(op), loc(op.getLoc()) {}

  void emit();

private:
  Value index(int64_t number) {
    return arith::ConstantIndexOp::create(b, loc, number);
  }
  Value extent(gpu::Dimension dim, bool ofGrid) {
    return ofGrid ? gpu::GridDimOp::create(b, loc, dim).getResult()
                  : gpu::BlockDimOp::create(b, loc, dim).getResult();
  }
  void emitThread(Value count);
  void setParallelIndices(Value number);
  SmallVector<Value> emitReductions(ArrayRef<unsigned> dims, ValueRange sums);
  SmallVector<Value> emitBody(ValueRange sums);
  Value load(OpOperand &operand);
  SmallVector<Value> getIndices(OpOperand &operand);

  linalg::LinalgOp op;
  OpBuilder b;
  Location loc;
  SmallVector<Value> sizes, ivs;
  SmallVector<unsigned> parallel, reductions;
};
} // namespace

void LaunchEmitter::emit() {
  for (const Range &range : op.createLoopRanges(b, loc))
    sizes.push_back(getValueOrCreateConstantIndexOp(b, loc, range.size));
  ivs.resize(sizes.size());
  op.getParallelDims(parallel);
  op.getReductionDims(reductions);
  Value count = index(1);
  for (unsigned dim : parallel)
    count = b.createOrFold<arith::MulIOp>(loc, count, sizes[dim]);
  // At least one block: no grid is empty.
  Value blocks =
      b.createOrFold<arith::CeilDivUIOp>(loc, count, index(kBlockSize));
  blocks = arith::MaxUIOp::create(b, loc, blocks, index(1));
  blocks = arith::MinUIOp::create(b, loc, blocks, index(kMaxBlocks));
  Value one = index(1);
  auto launch = gpu::LaunchOp::create(b, loc, blocks, one, one,
                                      index(kBlockSize), one, one);
  b.setInsertionPointToStart(&launch.getBody().front());
  emitThread(count);
  b.setInsertionPointToEnd(&launch.getBody().back());
  gpu::TerminatorOp::create(b, loc);
}

void LaunchEmitter::emitThread(Value count) {
  constexpr gpu::Dimension x = gpu::Dimension::x;
  Value perBlock = extent(x, /*ofGrid=*/false);
  Value first = arith::MulIOp::create(b, loc, gpu::BlockIdOp::create(b, loc, x),
                                      perBlock);
  first =
      arith::AddIOp::create(b, loc, first, gpu::ThreadIdOp::create(b, loc, x));
  Value step =
      arith::MulIOp::create(b, loc, extent(x, /*ofGrid=*/true), perBlock);
  auto loop = scf::ForOp::create(b, loc, first, count, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  setParallelIndices(loop.getInductionVar());
  SmallVector<Value> sums;
  // Indices of reductions are no part of where an output is.
  for (OpOperand &out : op.getDpsInitsMutable())
    sums.push_back(load(out));
  SmallVector<Value> results = emitReductions(reductions, sums);
  for (auto [out, result] : llvm::zip_equal(op.getDpsInitsMutable(), results))
    memref::StoreOp::create(b, loc, result, out.get(), getIndices(out));
}

/// The index of each parallel loop in iteration `number`: neighbours are next
/// to each other along the innermost one.
void LaunchEmitter::setParallelIndices(Value number) {
  for (auto [place, dim] : llvm::enumerate(llvm::reverse(parallel))) {
    if (place + 1 == parallel.size()) {
      ivs[dim] = number;
      return;
    }
    ivs[dim] = arith::RemUIOp::create(b, loc, number, sizes[dim]);
    number = arith::DivUIOp::create(b, loc, number, sizes[dim]);
  }
}

SmallVector<Value> LaunchEmitter::emitReductions(ArrayRef<unsigned> dims,
                                                 ValueRange sums) {
  if (dims.empty())
    return emitBody(sums);
  auto loop =
      scf::ForOp::create(b, loc, index(0), sizes[dims.front()], index(1), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ivs[dims.front()] = loop.getInductionVar();
  SmallVector<Value> results =
      emitReductions(dims.drop_front(), loop.getRegionIterArgs());
  scf::YieldOp::create(b, loc, results);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> LaunchEmitter::getIndices(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> indices;
  // Loops that have no index yet are no part of the map.
  SmallVector<Value> operands = ivs;
  for (Value &iv : operands)
    if (!iv)
      iv = index(0);
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    indices.push_back(
        dim ? operands[dim.getPosition()]
            : affine::expandAffineExpr(b, loc, expr, operands, ValueRange()));
  }
  return indices;
}

Value LaunchEmitter::load(OpOperand &operand) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(b, loc, operand.get(), getIndices(operand));
}

SmallVector<Value> LaunchEmitter::emitBody(ValueRange sums) {
  IRMapping mapping;
  Block *body = op.getBlock();
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = body->getArgument(input->getOperandNumber());
    if (!argument.use_empty())
      mapping.map(argument, load(*input));
  }
  mapping.map(body->getArguments().take_back(sums.size()), sums);
  for (Operation &inner : body->without_terminator()) {
    if (auto number = dyn_cast<linalg::IndexOp>(inner)) {
      mapping.map(number.getResult(), ivs[number.getDim()]);
      continue;
    }
    b.clone(inner, mapping);
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

namespace {
struct MapToGPU : flywheel::impl::MapToGPUBase<MapToGPU> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function->hasAttr(
            flywheel::train::TrainDialect::getInitializerAttrName()))
      return;
    SmallVector<linalg::LinalgOp> ops;
    // Contiguous copies are memcpy on the host only.
    SmallVector<memref::CopyOp> copies;
    function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      OpBuilder b(copy);
      linalg::CopyOp::create(b, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      copy.erase();
    }
    function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      if (!op.hasPureBufferSemantics()) {
        op.emitOpError("expected memref operands: kernels are made after "
                       "bufferization");
        return signalPassFailure();
      }
      LaunchEmitter(op).emit();
      op.erase();
      ++numLaunches;
    }
  }
};
} // namespace
