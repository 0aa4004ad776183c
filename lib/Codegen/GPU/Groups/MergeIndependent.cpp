//===- MergeIndependent.cpp - Groups that share a launch side by side -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Report/LaunchTraffic.h"
#include "Groups.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace flywheel;

namespace {
/// The uses of a buffer so far, as levels: numbers of launches before them.
struct Uses {
  /// The first level that may write, or read, the buffer after them.
  unsigned afterReads = 0, afterWrites = 0;
};
} // namespace

/// Returns for each of `nodes` the number of launches that must precede it.
static SmallVector<unsigned> computeLevels(ArrayRef<LaunchNode> nodes) {
  SmallVector<unsigned> levels;
  llvm::DenseMap<Value, Uses> uses;
  // An unknown buffer may be any buffer.
  Uses ofAll, ofUnknown;
  for (const LaunchNode &node : nodes) {
    unsigned level = 0;
    for (const GroupAccess &access : node.accesses) {
      const Uses &known = access.root ? uses[access.root] : ofAll;
      level = std::max({level, known.afterWrites, ofUnknown.afterWrites});
      if (access.isWritten)
        level = std::max({level, known.afterReads, ofUnknown.afterReads});
    }
    for (const GroupAccess &access : node.accesses)
      for (Uses *known :
           {access.root ? &uses[access.root] : &ofUnknown, &ofAll}) {
        unsigned &after =
            access.isWritten ? known->afterWrites : known->afterReads;
        after = std::max(after, level + 1);
      }
    levels.push_back(level);
  }
  return levels;
}

/// Moves the body of `group` to `b`, for block `number` of it.
static void inlineGroup(OpBuilder &b, scf::ForallOp group, Value number) {
  Location loc = group.getLoc();
  SmallVector<Value> ivs;
  SmallVector<OpFoldResult> ends = group.getMixedUpperBound();
  for (OpFoldResult end : llvm::reverse(ArrayRef(ends).drop_front())) {
    Value count = getValueOrCreateConstantIndexOp(b, loc, end);
    ivs.push_back(b.createOrFold<arith::RemUIOp>(loc, number, count));
    number = b.createOrFold<arith::DivUIOp>(loc, number, count);
  }
  ivs.push_back(number);
  for (auto [iv, value] :
       llvm::zip_equal(group.getInductionVars(), llvm::reverse(ivs)))
    iv.replaceAllUsesWith(value);
  for (Operation &op :
       llvm::make_early_inc_range(group.getBody()->without_terminator()))
    op.moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
}

/// Makes one group of `groups`: the blocks of one after those of another.
static void mergeGroups(OpBuilder &b, ArrayRef<scf::ForallOp> groups) {
  SmallVector<Location> locations;
  for (scf::ForallOp group : groups)
    locations.push_back(group.getLoc());
  Location loc = b.getFusedLoc(locations);
  SmallVector<Value> counts;
  Value total = arith::ConstantIndexOp::create(b, loc, 0);
  for (scf::ForallOp group : groups) {
    Value count = arith::ConstantIndexOp::create(b, loc, 1);
    for (OpFoldResult end : group.getMixedUpperBound())
      count = b.createOrFold<arith::MulIOp>(
          loc, count, getValueOrCreateConstantIndexOp(b, loc, end));
    counts.push_back(count);
    total = b.createOrFold<arith::AddIOp>(loc, total, count);
  }
  codegen::TrafficAttr traffic;
  for (scf::ForallOp group : groups) {
    codegen::TrafficAttr own = attachTraffic(group);
    traffic = traffic ? addTraffic(traffic, own) : own;
  }
  scf::ForallOp merged = createBlocks(b, loc, getAsOpFoldResult(total));
  merged->setAttr(codegen::CodegenDialect::getTrafficAttrName(), traffic);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(merged.getBody());
  Value number = merged.getInductionVar(0);
  for (auto [group, count] : llvm::zip_equal(groups, counts)) {
    if (group == groups.back()) {
      inlineGroup(b, group, number);
    } else {
      Value isOurs = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           number, count);
      auto branch = scf::IfOp::create(b, loc, isOurs, /*withElseRegion=*/true);
      b.setInsertionPointToStart(branch.thenBlock());
      inlineGroup(b, group, number);
      b.setInsertionPointToStart(branch.elseBlock());
      number = arith::SubIOp::create(b, loc, number, count);
    }
  }
  for (scf::ForallOp group : groups)
    group.erase();
}

void flywheel::mergeIndependent(ArrayRef<LaunchNode> nodes) {
  if (nodes.size() < 2)
    return;
  SmallVector<unsigned> levels = computeLevels(nodes);
  Operation *last = nodes.front().op;
  for (const LaunchNode &node : nodes)
    if (last->isBeforeInBlock(node.op))
      last = node.op;
  OpBuilder b(last->getContext());
  b.setInsertionPointAfter(last);
  for (unsigned level = 0; level <= *llvm::max_element(levels); ++level) {
    SmallVector<scf::ForallOp> groups;
    for (auto [node, at] : llvm::zip_equal(nodes, levels)) {
      if (at != level)
        continue;
      if (auto group = dyn_cast<scf::ForallOp>(node.op))
        groups.push_back(group);
      else
        node.op->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
    }
    if (groups.size() > 1)
      mergeGroups(b, groups);
    else if (!groups.empty())
      groups.front()->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  }
}
