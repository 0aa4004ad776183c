//===- MapToGPU.cpp - Structured ops as launches --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Groups/EpilogueOps.h"
#include "../Groups/GroupAccesses.h"
#include "../Report/LaunchTraffic.h"
#include "../Schedule/BlockTile.h"
#include "BlockEmitter.h"
#include "ElementLaunch.h"
#include "Epilogue.h"

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_MAPTOGPU
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

/// Emits the launch of one structured op whose threads share nothing.
static void emitPlainLaunch(linalg::LinalgOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  ThreadEmitter threads(op, b);
  Value count = threads.count(threads.parallel);
  auto [launch, number] = emitElementLaunch(b, loc, count);
  launch->setAttr(codegen::CodegenDialect::getTrafficAttrName(),
                  attachTraffic(op));
  threads.setIndices(threads.parallel, number);
  threads.emitElement(/*init=*/Value());
}

/// Returns true if `fill` only initializes the result of `next`.
static bool isInitOf(linalg::FillOp fill, Operation *next) {
  auto op = dyn_cast_or_null<linalg::LinalgOp>(next);
  return op && op.getNumDpsInits() == 1 && op.getNumReductionLoops() > 0 &&
         op.getDpsInits().front() == fill.getOutputs().front() &&
         !hasOutputAlongReduction(op) &&
         llvm::none_of(op.getDpsInputs(), [&](Value input) {
           return input == fill.getOutputs().front();
         });
}

/// Returns the next structured op in the block of `op`; null without one.
static Operation *getNextStructured(Operation *op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (isa<linalg::LinalgOp>(next))
      return next;
  return nullptr;
}

/// Erases `op`, an allocation or a view, and its users: views of which only
/// sizes are read. Replaces these sizes.
static void eraseUnused(Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto dim = dyn_cast<memref::DimOp>(user);
    if (!dim) {
      eraseUnused(user);
      continue;
    }
    OpBuilder b(dim);
    int64_t number = *dim.getConstantIndex();
    auto type = cast<MemRefType>(dim.getSource().getType());
    OpFoldResult size = b.getIndexAttr(type.getDimSize(number));
    if (type.isDynamicDim(number))
      size = cast<memref::SubViewOp>(op).getMixedSizes()[number];
    dim.replaceAllUsesWith(
        getValueOrCreateConstantIndexOp(b, dim.getLoc(), size));
    dim.erase();
  }
  op->erase();
}

static void emitGroupBody(OpBuilder &b, Block &body, IRMapping &mapping,
                          BlockEmitter &emitter);

/// Emits `body`, ops of a group in their order. `isFirst` if there is no
/// previous op that threads have to wait for.
static void emitGroupOps(OpBuilder &b, Block &body, IRMapping &mapping,
                         BlockEmitter &emitter, bool isFirst) {
  Value init;
  SmallVector<Operation *> inRegisters;
  for (auto op = body.begin(); op != body.without_terminator().end(); ++op) {
    if (auto alloc = dyn_cast<memref::AllocOp>(*op)) {
      if (isInRegisters(alloc)) {
        // It stands for the buffer while its users are emitted.
        inRegisters.push_back(b.clone(*alloc, mapping));
        continue;
      }
      mapping.map(alloc.getResult(),
                  emitter.allocatePrivate(b, alloc.getLoc(), alloc.getType()));
      continue;
    }
    if (auto branch = dyn_cast<scf::IfOp>(*op)) {
      // All threads of a block take the same branches.
      auto clone = scf::IfOp::create(
          b, op->getLoc(), mapping.lookupOrDefault(branch.getCondition()),
          /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(clone.thenBlock());
      emitGroupBody(b, *branch.thenBlock(), mapping, emitter);
      b.setInsertionPointToStart(clone.elseBlock());
      emitGroupBody(b, *branch.elseBlock(), mapping, emitter);
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(*op)) {
      auto clone = scf::ForOp::create(
          b, op->getLoc(), mapping.lookupOrDefault(loop.getLowerBound()),
          mapping.lookupOrDefault(loop.getUpperBound()),
          mapping.lookupOrDefault(loop.getStep()));
      mapping.map(loop.getInductionVar(), clone.getInductionVar());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(clone.getBody());
      // The previous iteration uses the same memory in other ways.
      emitGroupOps(b, *loop.getBody(), mapping, emitter, /*isFirst=*/false);
      isFirst = false;
      continue;
    }
    if (auto fill = dyn_cast<linalg::FillOp>(*op);
        fill && isInitOf(fill, getNextStructured(fill))) {
      init = mapping.lookupOrDefault(fill.getInputs().front());
      continue;
    }
    SmallVector<Operation *> clones{b.clone(*op, mapping)};
    auto structured = dyn_cast<linalg::LinalgOp>(*op);
    if (!structured)
      continue;
    SmallVector<linalg::LinalgOp> epilogue;
    if (isKernel(structured))
      for (linalg::LinalgOp next : getEpilogue(structured)) {
        while (&*op != next) {
          Operation *clone = b.clone(*++op, mapping);
          if (&*op == next) {
            clones.push_back(clone);
            epilogue.push_back(cast<linalg::LinalgOp>(clone));
          }
        }
      }
    if (!isFirst)
      emitter.emitBarrier(b, op->getLoc());
    isFirst = false;
    emitter.emit(b, cast<linalg::LinalgOp>(clones.front()), init, epilogue);
    for (Operation *clone : clones)
      clone->erase();
    init = Value();
  }
  for (Operation *placeholder : inRegisters)
    eraseUnused(placeholder);
}

/// Emits `body`, whose structured ops the threads of a block share.
static void emitGroupBody(OpBuilder &b, Block &body, IRMapping &mapping,
                          BlockEmitter &emitter) {
  emitter.beginGroup();
  emitGroupOps(b, body, mapping, emitter, /*isFirst=*/true);
}

/// Replaces `group` by a launch with a block for each iteration.
static void emitGroupLaunch(scf::ForallOp group) {
  OpBuilder b(group);
  Location loc = group.getLoc();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> counts;
  Value blocks = one;
  for (OpFoldResult end : group.getMixedUpperBound()) {
    counts.push_back(getValueOrCreateConstantIndexOp(b, loc, end));
    blocks = b.createOrFold<arith::MulIOp>(loc, blocks, counts.back());
  }
  // A grid must not be empty.
  Value isWork =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, blocks,
                            arith::ConstantIndexOp::create(b, loc, 0));
  bool isAlways = getConstantIntValue(blocks).value_or(0) > 0;
  if (!isAlways)
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, isWork).thenBlock());
  Value threads = arith::ConstantIndexOp::create(b, loc, kGroupBlockSize);
  auto launch =
      gpu::LaunchOp::create(b, loc, blocks, one, one, threads, one, one);
  launch->setAttr(codegen::CodegenDialect::getTrafficAttrName(),
                  attachTraffic(group));
  Block &body = launch.getBody().front();
  b.setInsertionPointToStart(&body);
  gpu::TerminatorOp::create(b, loc);
  BlockEmitter emitter(launch);
  b.setInsertionPoint(body.getTerminator());
  Value number = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  IRMapping mapping;
  SmallVector<Value> ivs =
      llvm::to_vector(ValueRange(group.getInductionVars()));
  for (size_t dim = ivs.size(); dim-- > 1;) {
    mapping.map(ivs[dim],
                b.createOrFold<arith::RemUIOp>(loc, number, counts[dim]));
    number = b.createOrFold<arith::DivUIOp>(loc, number, counts[dim]);
  }
  mapping.map(ivs.front(), number);
  emitGroupBody(b, *group.getBody(), mapping, emitter);
  group.erase();
}

namespace {
struct MapToGPU : flywheel::impl::MapToGPUBase<MapToGPU> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function->hasAttr(
            flywheel::train::TrainDialect::getInitializerAttrName()))
      return;
    structureCopies(function);
    SmallVector<Operation *> ops;
    WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      if (structured && !structured.hasPureBufferSemantics()) {
        op->emitOpError("expected memref operands: kernels are made after "
                        "bufferization");
        return WalkResult::interrupt();
      }
      bool isGroup = isa<scf::ForallOp>(op);
      if (structured || isGroup)
        ops.push_back(op);
      return isGroup ? WalkResult::skip() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (Operation *op : ops) {
      if (auto group = dyn_cast<scf::ForallOp>(op)) {
        emitGroupLaunch(group);
      } else {
        emitPlainLaunch(cast<linalg::LinalgOp>(op));
        op->erase();
      }
      ++numLaunches;
    }
  }
};
} // namespace
