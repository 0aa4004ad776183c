//===- ElementLaunch.cpp - Launches of independent threads ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementLaunch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace flywheel {

/// Threads of a block: enough to hide latency, in whole warps.
static constexpr int64_t kBlockSize = 128;
/// More blocks than any GPU has room for would wait for others anyway: threads
/// start another iteration instead.
static constexpr int64_t kMaxBlocks = 65536;

ElementLaunch emitElementLaunch(OpBuilder &b, Location loc, Value count) {
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  Value one = constant(1), size = constant(kBlockSize);
  Value blocks = b.createOrFold<arith::CeilDivUIOp>(loc, count, size);
  // At least one block: a grid must not be empty.
  blocks = arith::MaxUIOp::create(b, loc, blocks, one);
  blocks = arith::MinUIOp::create(b, loc, blocks, constant(kMaxBlocks));
  auto launch = gpu::LaunchOp::create(b, loc, blocks, one, one, size, one, one);
  b.setInsertionPointToStart(&launch.getBody().front());
  constexpr gpu::Dimension x = gpu::Dimension::x;
  Value perBlock = gpu::BlockDimOp::create(b, loc, x);
  Value first = arith::MulIOp::create(b, loc, gpu::BlockIdOp::create(b, loc, x),
                                      perBlock);
  first =
      arith::AddIOp::create(b, loc, first, gpu::ThreadIdOp::create(b, loc, x));
  Value step = arith::MulIOp::create(b, loc, gpu::GridDimOp::create(b, loc, x),
                                     perBlock);
  auto loop = scf::ForOp::create(b, loc, first, count, step);
  gpu::TerminatorOp::create(b, loc);
  b.setInsertionPointToStart(loop.getBody());
  return {launch, loop.getInductionVar()};
}

} // namespace flywheel
