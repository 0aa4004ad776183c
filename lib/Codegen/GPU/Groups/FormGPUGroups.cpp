//===- FormGPUGroups.cpp - Which structured ops share a launch ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on buffers, in their order, share a launch if no block reads memory that
// another block of that launch writes. There are two such cases. Ops that work
// on the same number of rows, each with one part of every buffer that the group
// writes, are computed rows by rows. Elementwise ops after a contraction are
// computed tile by tile of its result.
//
//===----------------------------------------------------------------------===//

#include "../Report/AssumedSizes.h"
#include "../Report/LaunchTraffic.h"
#include "../Report/StepTraffic.h"
#include "Groups.h"

#include "flywheel/Codegen/GPU/GPUPasses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_FORMGPUGROUPS
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

/// The number of ops that a group looks ahead for ops to take.
static constexpr size_t kWindow = 48;

/// The largest number of ops of a group: LLVM takes more than twice as long for
/// a kernel of twice as many. No step of the examples has more in one group.
static constexpr size_t kMaxMembers = 64;

/// Decides which ops a group may take across ops that it leaves to a later one.
namespace {
class Order {
public:
  explicit Order(const GroupMember &first) : taken{first} {}

  void take(const GroupMember &member) { taken.push_back(member); }
  /// Leaves `other` to a later group. Returns false if the ops that were taken
  /// cannot be computed after it.
  bool pass(const GroupMember &other) {
    if (anyConflictsWith(taken, other))
      return false;
    passed.push_back(other);
    return true;
  }
  /// Returns true if `other` may be computed before the ops that were left to a
  /// later group.
  bool canTake(const GroupMember &other) const {
    return !anyConflictsWith(passed, other);
  }

private:
  static bool anyConflictsWith(const GroupRun &ops, const GroupMember &other) {
    return llvm::any_of(
        ops, [&](const GroupMember &op) { return op.conflictsWith(other); });
  }

  GroupRun taken, passed;
};

struct FormGPUGroups : flywheel::impl::FormGPUGroupsBase<FormGPUGroups> {
  using FormGPUGroupsBase::FormGPUGroupsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function->hasAttr(train::TrainDialect::getInitializerAttrName()))
      return;
    structureCopies(function);
    DimSizeBounds bounds(dimSize.getValue());
    // Ignores errors: assumed sizes affect speed only.
    for (StringRef text : dimSizes)
      llvm::consumeError(bounds.add(text));
    AssumedSizes assumed(function, bounds);
    SmallVector<Block *> blocks;
    function.walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    std::vector<std::vector<LaunchNode>> runs;
    for (Block *block : blocks)
      for (GroupRun &run : collectRuns(*block)) {
        nodes.clear();
        while (!run.empty())
          formNext(run);
        runs.push_back(nodes);
      }
    if (report)
      describe(function, runs, assumed);
    for (ArrayRef<LaunchNode> launches : runs)
      mergeIndependent(launches);
  }

private:
  static void describe(func::FuncOp function,
                       ArrayRef<std::vector<LaunchNode>> runs,
                       const AssumedSizes &assumed);
  static std::vector<GroupRun> collectRuns(Block &block);
  static void append(GroupRun &run, linalg::LinalgOp op);
  void formNext(GroupRun &run);
  template <typename GroupT> void form(GroupT group, GroupRun &run);
  void addNode(Operation *op, ArrayRef<GroupMember> members);

  /// The launches of a run.
  std::vector<LaunchNode> nodes;
};
} // namespace

/// Reports the traffic of the step, and attaches that of its launches, while
/// sizes are assumed.
void FormGPUGroups::describe(func::FuncOp function,
                             ArrayRef<std::vector<LaunchNode>> runs,
                             const AssumedSizes &assumed) {
  reportStepTraffic(function, assumed);
  for (ArrayRef<LaunchNode> launches : runs)
    for (const LaunchNode &node : launches)
      attachTraffic(node.op);
  function.walk([](Operation *op) { attachLaunchTraffic(op); });
}

/// Collects runs of ops between which nothing else reads or writes memory.
std::vector<GroupRun> FormGPUGroups::collectRuns(Block &block) {
  std::vector<GroupRun> runs(1);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (structured && structured.hasPureBufferSemantics())
      append(runs.back(), structured);
    else if (!isMemoryEffectFree(&op) && !isa<memref::AllocOp>(op))
      runs.emplace_back();
  }
  return runs;
}

/// Adds `op` to `run`: one member with the fill that initializes it, or two
/// members if it is a long reduction.
void FormGPUGroups::append(GroupRun &run, linalg::LinalgOp op) {
  GroupMember member(op);
  // The op overwrites all of the fill if each dimension of the result is a
  // loop.
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (op.getNumReductionLoops() > 0 && op.getNumDpsInits() == 1 &&
      llvm::all_of(out.getResults(), llvm::IsaPred<AffineDimExpr>))
    for (size_t place = run.size(); place-- > 0;) {
      auto fill = dyn_cast<linalg::FillOp>(run[place].op.getOperation());
      if (fill && fill.getOutputs().front() == op.getDpsInits().front()) {
        fill->moveBefore(op);
        member.fill = fill;
        run.erase(run.begin() + place);
        break;
      }
      if (member.writesBufferOf(run[place]))
        break;
    }
  if (isLong(member) && !needsPieces(member))
    if (auto both = splitReduction(member)) {
      run.push_back(both->first);
      run.push_back(both->second);
      return;
    }
  run.push_back(member);
}

void FormGPUGroups::addNode(Operation *op, ArrayRef<GroupMember> members) {
  LaunchNode &node = nodes.emplace_back();
  node.op = op;
  for (const GroupMember &member : members)
    llvm::append_range(node.accesses, member.accesses);
}

/// Makes a group of the first op of `run` and others, which it removes from
/// `run`. Does not change an op without rows.
void FormGPUGroups::formNext(GroupRun &run) {
  if (needsPieces(run.front())) {
    GroupMember whole = run.front();
    auto [pieces, joined] = splitTerms(whole);
    // The pieces also write the buffers that are joined.
    addNode(pieces, whole);
    llvm::append_range(nodes.back().accesses, joined.accesses);
    ++numGroups;
    run.front() = joined;
  }
  if (run.front().isProduct())
    form(TileGroup(run.front()), run);
  else
    form(RowGroup(run.front()), run);
}

template <typename GroupT>
void FormGPUGroups::form(GroupT group, GroupRun &run) {
  constexpr bool isOfRows = std::is_same_v<GroupT, RowGroup>;
  // Rows of a transposition are not rows of the ops that read it.
  bool isClosed = isa<linalg::TransposeOp>(run.front().op);
  auto getSet = [](const GroupMember &member) {
    return member.op->getAttr(codegen::CodegenDialect::getSetAttrName());
  };
  Attribute set = getSet(run.front());
  Order order(run.front());
  run.erase(run.begin());
  for (size_t place = 0; !isClosed && place < run.size() && place < kWindow &&
                         group.getMembers().size() < kMaxMembers;) {
    const GroupMember &next = run[place];
    bool isForRows = !next.isProduct() && !needsPieces(next) &&
                     !isa<linalg::TransposeOp>(next.op);
    if ((!isOfRows || isForRows) && getSet(next) == set &&
        order.canTake(next) && group.canTake(next)) {
      group.add(next);
      order.take(next);
      run.erase(run.begin() + place);
    } else if (!order.pass(run[place++])) {
      break;
    }
  }
  SmallVector<GroupMember, 0> members(group.getMembers());
  if (!group.canEmit()) {
    if (members.front().fill) {
      GroupMember fill(members.front().fill);
      addNode(fill.op, fill);
    }
    return addNode(members.front().op, members);
  }
  ++numGroups;
  addNode(group.emit(), members);
}
