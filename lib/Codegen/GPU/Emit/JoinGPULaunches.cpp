//===- JoinGPULaunches.cpp - One launch of launches of one block ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Report/LaunchTraffic.h"

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_JOINGPULAUNCHES
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

/// Returns the threads of the block of `launch`; 0 if it may have several
/// blocks.
static int64_t countThreadsAlone(gpu::LaunchOp launch) {
  gpu::KernelDim3 grid = launch.getGridSizeOperandValues(),
                  block = launch.getBlockSizeOperandValues();
  for (Value size : {grid.x, grid.y, grid.z, block.y, block.z})
    if (getConstantIntValue(size) != 1)
      return 0;
  return getConstantIntValue(block.x).value_or(0);
}

/// Returns true if the threads of `launch` read the size of the block, and
/// never wait for each other: there may be more of them.
static bool isOfAnyThreads(gpu::LaunchOp launch) {
  bool asks = false, waits = false;
  launch.getBody().walk([&](Operation *op) {
    asks |= isa<gpu::BlockDimOp>(op);
    waits |= isa<gpu::GPUDialect>(op->getDialect()) &&
             !isa<gpu::BlockDimOp, gpu::BlockIdOp, gpu::GridDimOp,
                  gpu::ThreadIdOp, gpu::TerminatorOp>(op);
  });
  return asks && !waits && launch.getNumWorkgroupAttributions() == 0;
}

/// Returns the number of threads of one block for both; 0 if they cannot share
/// a block.
static int64_t countThreadsOfBoth(gpu::LaunchOp first, gpu::LaunchOp second) {
  int64_t one = countThreadsAlone(first), other = countThreadsAlone(second);
  if (one == 0 || other == 0 || one == other)
    return std::min(one, other);
  gpu::LaunchOp smaller = one < other ? first : second;
  // One thread does its work alone.
  bool fits = std::min(one, other) == 1 || isOfAnyThreads(smaller);
  return fits ? std::max(one, other) : 0;
}

/// Makes the first of several threads run the whole body of `launch`.
static void limitToOneThread(gpu::LaunchOp launch) {
  Block &body = launch.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Location loc = launch.getLoc();
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, zero);
  auto branch = scf::IfOp::create(b, loc, isFirst);
  branch.thenBlock()->getOperations().splice(
      branch.thenBlock()->getTerminator()->getIterator(), body.getOperations(),
      std::next(branch->getIterator()), body.getTerminator()->getIterator());
}

/// Gives `first` the workgroup memory of `second`. Both share memory of bytes,
/// one after the other.
static void shareWorkgroupMemory(gpu::LaunchOp first, gpu::LaunchOp second) {
  auto isOfBytes = [](Value memory) {
    auto type = cast<MemRefType>(memory.getType());
    return type.getRank() == 1 && type.hasStaticShape() &&
           type.getElementType().isInteger(8);
  };
  for (auto [number, argument] :
       llvm::enumerate(second.getWorkgroupAttributions())) {
    BlockArgument memory = argument, shared;
    if (number < first.getNumWorkgroupAttributions())
      shared = first.getWorkgroupAttributions()[number];
    if (!shared || !isOfBytes(shared) || !isOfBytes(memory)) {
      shared = first.addWorkgroupAttribution(memory.getType(), memory.getLoc());
    } else if (cast<MemRefType>(shared.getType()).getNumElements() <
               cast<MemRefType>(memory.getType()).getNumElements()) {
      shared.setType(memory.getType());
    }
    memory.replaceAllUsesWith(shared);
  }
}

/// Runs the body of `second` at the end of `first`, with `threads` threads.
static gpu::LaunchOp join(gpu::LaunchOp first, gpu::LaunchOp second,
                          int64_t threads) {
  for (gpu::LaunchOp launch : {first, second})
    if (threads > 1 && countThreadsAlone(launch) == 1)
      limitToOneThread(launch);
  first->moveBefore(second);
  OpBuilder b(first);
  first.getBlockSizeXMutable().assign(
      arith::ConstantIndexOp::create(b, first.getLoc(), threads));
  shareWorkgroupMemory(first, second);
  Block &to = first.getBody().front(), &from = second.getBody().front();
  for (auto [mine, theirs] :
       llvm::zip(to.getArguments().take_front(12), from.getArguments()))
    theirs.replaceAllUsesWith(mine);
  b.setInsertionPoint(to.getTerminator());
  // One thread has run the whole body, and may later be one of several, which
  // must not wait for the others.
  if (threads > 1)
    gpu::BarrierOp::create(b, second.getLoc());
  to.getOperations().splice(to.getTerminator()->getIterator(),
                            from.getOperations(), from.begin(),
                            from.getTerminator()->getIterator());
  StringRef name = flywheel::codegen::CodegenDialect::getTrafficAttrName();
  auto getTraffic = [&](gpu::LaunchOp launch) {
    return launch->getAttrOfType<flywheel::codegen::TrafficAttr>(name);
  };
  if (flywheel::codegen::TrafficAttr more = getTraffic(second)) {
    flywheel::codegen::TrafficAttr known = getTraffic(first);
    first->setAttr(name, known ? flywheel::addTraffic(known, more) : more);
  }
  first->setLoc(b.getFusedLoc({first.getLoc(), second.getLoc()}));
  second.erase();
  return first;
}

namespace {
struct JoinGPULaunches : flywheel::impl::JoinGPULaunchesBase<JoinGPULaunches> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function->hasAttr(
            flywheel::train::TrainDialect::getInitializerAttrName()))
      return;
    SmallVector<Block *> blocks;
    function.walk<WalkOrder::PreOrder>([&](Block *block) {
      if (isa<gpu::LaunchOp>(block->getParentOp()))
        return WalkResult::skip();
      blocks.push_back(block);
      return WalkResult::advance();
    });
    for (Block *block : blocks)
      joinIn(*block);
  }

private:
  void joinIn(Block &block) {
    gpu::LaunchOp last;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto launch = dyn_cast<gpu::LaunchOp>(op);
      if (!launch) {
        if (!isMemoryEffectFree(&op) && !isa<memref::AllocaOp>(op))
          last = nullptr;
        continue;
      }
      int64_t threads = last ? countThreadsOfBoth(last, launch) : 0;
      if (threads != 0) {
        last = join(last, launch, threads);
        ++numJoined;
      } else {
        last = countThreadsAlone(launch) != 0 ? launch : gpu::LaunchOp();
      }
    }
  }
};
} // namespace
