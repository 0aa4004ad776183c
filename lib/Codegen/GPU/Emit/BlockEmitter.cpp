//===- BlockEmitter.cpp - Structured ops by the threads of a block --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockEmitter.h"
#include "../Groups/GroupAccesses.h"
#include "../Schedule/BlockNumbers.h"
#include "../Schedule/BlockTile.h"
#include "BlockContractionEmitter.h"

#include "flywheel/Analysis/Contraction.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {

/// Returns the most results of `op` that are reduced as trees, each with at
/// most 8 bytes for each thread.
static size_t getMaxTrees(Operation *op) {
  WorkgroupBytes bytes(op);
  return (bytes.all - bytes.buffers) / (8 * kGroupBlockSize);
}

BlockEmitter::BlockEmitter(gpu::LaunchOp launch) : launch(launch) {
  OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
  thread = gpu::ThreadIdOp::create(b, launch.getLoc(), gpu::Dimension::x);
  codegen::GPUAttr gpu = codegen::lookupGPU(launch);
  copiesAsync = !gpu || gpu.isAtLeast(80);
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

/// Returns the least power of two that is not below `number`.
static int64_t roundUpToPower(int64_t number) {
  return static_cast<int64_t>(llvm::PowerOf2Ceil(number));
}

/// Returns the iterations of `dims` together, if all are known.
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

void BlockEmitter::emitCommit(OpBuilder &b, Location loc) {
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

void BlockEmitter::emitWait(OpBuilder &b, Location loc, int64_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, static_cast<uint32_t>(pending));
}

void BlockEmitter::emit(OpBuilder &b, linalg::LinalgOp op, Value init,
                        ArrayRef<linalg::LinalgOp> epilogue) {
  ThreadEmitter threads(op, b);
  usedBytes = privateBytes;
  if (isKernel(op))
    return BlockContractionEmitter(*this, threads, init, epilogue).emit();
  if (!threads.reductions.empty())
    if (SmallVector<Operation *> combiners = matchCombiners(op);
        !combiners.empty() && combiners.size() <= getMaxTrees(op))
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
  // The number of threads that share a result: all have work, none more than it
  // needs.
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
  // The next op may reuse the scratch memory.
  emitBarrier(b, loc);
}

} // namespace flywheel
