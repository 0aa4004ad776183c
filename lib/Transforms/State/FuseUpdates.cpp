//===- FuseUpdates.cpp - One op for updates that read each other ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Transforms/State/StatePasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_FUSEUPDATES
#include "flywheel/Transforms/State/StatePasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using flywheel::linalg_ext::StoreOp;

/// Returns true if `op` computes its results elementwise, in one order of
/// elements.
static bool isElementwise(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() == 0 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return cast<RankedTensorType>(init.get().getType()).hasStaticShape() &&
           op.getMatchingIndexingMap(&init).isIdentity();
  });
}

static ArrayRef<int64_t> getShape(linalg::GenericOp op) {
  return cast<RankedTensorType>(op->getResult(0).getType()).getShape();
}

/// Returns true if `op` reads through `use` only the element that it writes.
static bool readsSameElement(OpOperand &use) {
  auto op = cast<linalg::GenericOp>(use.getOwner());
  return op.getMatchingIndexingMap(&use).isIdentity();
}

namespace {
/// The ops of one block that may be fused.
class BlockFuser {
public:
  BlockFuser(Block &block) : block(block) {}
  unsigned run();

private:
  /// Ops of the block, in order.
  using Ops = llvm::SetVector<Operation *>;

  using Classes = llvm::EquivalenceClasses<Operation *>;

  void collect();
  void unite();
  Classes uniteReaders();
  Ops getMembers(const Classes &classes, Operation *leader);
  bool fuseIfFusible(const Ops &members);
  bool isFusible(const Ops &members, const Ops &dependents);
  bool capturesResults(const Ops &members, const Ops &dependents);
  bool keepsReads(const Ops &members, const Ops &dependents);
  Ops findDependents(const Ops &members);
  void fuse(const Ops &members, const Ops &dependents);

  Block &block;
  /// Elementwise ops.
  Ops candidates;
  /// The values that those of them which update variables overwrite.
  llvm::MapVector<Operation *, SmallVector<Value>> overwritten;
  Classes classes;
  unsigned numFused = 0;
};
} // namespace

void BlockFuser::collect() {
  llvm::DenseSet<Operation *> checked = findChecked(block);
  for (Operation &op : block) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    // One op with a schedule of its own is computed as that says.
    if (!generic || !isElementwise(generic) || checked.contains(&op) ||
        codegen::getSchedule(generic))
      continue;
    candidates.insert(&op);
    SmallVector<Value> versions;
    for (Value init : generic.getDpsInits())
      if (isStateVersion(init))
        versions.push_back(init);
    for (Operation *user : op.getUsers())
      if (auto store = dyn_cast<StoreOp>(user))
        if (store->getBlock() == &block &&
            isStateVersion(store.getDestination()))
          versions.push_back(store.getDestination());
    if (!versions.empty())
      overwritten[&op] = versions;
  }
}

/// Unites connected ops into classes.
void BlockFuser::unite() {
  for (auto &[op, versions] : overwritten)
    classes.insert(op);
  auto uniteAll = [&](Operation *one, Operation *other) {
    if (one != other && getShape(cast<linalg::GenericOp>(one)) ==
                            getShape(cast<linalg::GenericOp>(other)))
      classes.unionSets(one, other);
  };
  for (auto &[op, versions] : overwritten) {
    for (Operation *user : op->getUsers())
      if (overwritten.contains(user))
        uniteAll(op, user);
    for (Value version : versions)
      for (Operation *user : version.getUsers())
        if (overwritten.contains(user))
          uniteAll(op, user);
  }
  // From the last op back: an op that only members use is a member.
  for (Operation *op : llvm::reverse(candidates)) {
    if (classes.contains(op) || op->use_empty())
      continue;
    bool isShared = llvm::all_of(op->getUses(), [&](OpOperand &use) {
      auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
      return user && classes.contains(user) && user->getBlock() == &block &&
             !user.isDpsInit(&use) && readsSameElement(use) &&
             getShape(user) == getShape(cast<linalg::GenericOp>(op));
    });
    if (!isShared)
      continue;
    for (Operation *user : llvm::to_vector(op->getUsers()))
      classes.unionSets(op, user);
  }
}

/// Puts the ops that read new values of variables element by element, as norms
/// of an update's direction do before it is taken, with the ops that compute
/// these. Returns the larger classes.
BlockFuser::Classes BlockFuser::uniteReaders() {
  Classes larger = classes;
  for (Operation *op : candidates) {
    if (classes.contains(op))
      continue;
    for (OpOperand &use : op->getOpOperands()) {
      Operation *producer = use.get().getDefiningOp();
      if (producer && overwritten.contains(producer) && readsSameElement(use) &&
          getShape(cast<linalg::GenericOp>(producer)) ==
              getShape(cast<linalg::GenericOp>(op)))
        larger.unionSets(producer, op);
    }
  }
  return larger;
}

/// Returns the other ops of the block that depend on results of the members.
BlockFuser::Ops BlockFuser::findDependents(const Ops &members) {
  Ops dependents;
  SmallVector<Operation *> worklist = llvm::to_vector(members);
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val()->getUsers()) {
      Operation *top = block.findAncestorOpInBlock(*user);
      if (top && !members.contains(top) && dependents.insert(top))
        worklist.push_back(top);
    }
  return dependents;
}

/// Returns true if fusing preserves reads: no op after the fused op reads a
/// variable that it overwrites, and no fused op reads such a variable at
/// another index than it writes.
bool BlockFuser::keepsReads(const Ops &members, const Ops &dependents) {
  llvm::DenseSet<Value> versions;
  for (Operation *member : members)
    if (auto *it = overwritten.find(member); it != overwritten.end())
      versions.insert(it->second.begin(), it->second.end());
  auto isOfVersion = [&](Value value) {
    return versions.contains(getRoot(value));
  };
  for (Operation *member : members)
    for (OpOperand &use : member->getOpOperands())
      if (isOfVersion(use.get()) &&
          (!versions.contains(use.get()) || !readsSameElement(use)))
        return false;
  return llvm::none_of(dependents, [&](Operation *op) {
    return !isa<StoreOp>(op) &&
           op->walk([&](Operation *nested) -> WalkResult {
               return failure(llvm::any_of(nested->getOperands(), isOfVersion));
             }).wasInterrupted();
  });
}

/// Returns true if the body of a member captures a value that depends on the
/// result of a member: the producer of that value must run between them.
bool BlockFuser::capturesResults(const Ops &members, const Ops &dependents) {
  auto needsMember = [&](Value value) {
    Operation *producer = value.getDefiningOp();
    return producer &&
           (dependents.contains(producer) || members.contains(producer));
  };
  return llvm::any_of(members, [&](Operation *member) {
    return member
        ->walk([&](Operation *nested) {
          return WalkResult(
              failure(nested != member &&
                      llvm::any_of(nested->getOperands(), needsMember)));
        })
        .wasInterrupted();
  });
}

bool BlockFuser::isFusible(const Ops &members, const Ops &dependents) {
  if (capturesResults(members, dependents))
    return false;
  llvm::DenseSet<Value> inits;
  llvm::DenseSet<Operation *> products;
  for (Operation *op : members) {
    auto member = cast<linalg::GenericOp>(op);
    for (OpOperand &operand : member->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      bool isInit = member.isDpsInit(&operand);
      // Something has to come in between.
      if (producer && dependents.contains(producer))
        return false;
      if (producer && members.contains(producer) &&
          (isInit || !readsSameElement(operand)))
        return false;
      if (isInit && !isa_and_nonnull<tensor::EmptyOp>(producer) &&
          !inits.insert(operand.get()).second)
        return false;
      auto structured = dyn_cast_or_null<linalg::LinalgOp>(producer);
      if (structured && linalg::isaContractionOpInterface(structured))
        products.insert(producer);
    }
  }
  // Dependents move behind the fused op; an op with effects cannot.
  for (Operation *op : dependents)
    if (op->isBeforeInBlock(members.back()) && !isMemoryEffectFree(op) &&
        !isa<StoreOp>(op))
      return false;
  return products.size() <= 1 && keepsReads(members, dependents);
}

/// Fuses the members into one op, which reads each value once and has no
/// results that only members use.
void BlockFuser::fuse(const Ops &members, const Ops &dependents) {
  SmallVector<Value> inputs, inits, results;
  SmallVector<AffineMap> maps, initMaps;
  SmallVector<Location> locs;
  auto isMade = [&](OpOperand *input) {
    return members.contains(input->get().getDefiningOp());
  };
  for (Operation *op : members) {
    auto member = cast<linalg::GenericOp>(op);
    locs.push_back(member.getLoc());
    for (OpOperand *input : member.getDpsInputOperands())
      if (!isMade(input)) {
        inputs.push_back(input->get());
        maps.push_back(member.getMatchingIndexingMap(input));
      }
    for (OpOperand &init : member.getDpsInitsMutable()) {
      inits.push_back(init.get());
      initMaps.push_back(member.getMatchingIndexingMap(&init));
    }
    llvm::append_range(results, member.getResults());
  }
  llvm::append_range(maps, initMaps);
  IRRewriter b(members.back());
  SmallVector<utils::IteratorType> iterators(maps.back().getNumDims(),
                                             utils::IteratorType::parallel);
  auto fused = linalg::GenericOp::create(
      b, b.getFusedLoc(locs), TypeRange(ValueRange(inits)), inputs, inits, maps,
      iterators, [&](OpBuilder &body, Location loc, ValueRange elements) {
        IRMapping mapping;
        auto nextInput = elements.begin();
        auto nextInit = nextInput + inputs.size();
        SmallVector<Value> yielded;
        for (Operation *op : members) {
          auto member = cast<linalg::GenericOp>(op);
          for (OpOperand *input : member.getDpsInputOperands())
            mapping.map(member.getMatchingBlockArgument(input),
                        isMade(input) ? mapping.lookup(input->get())
                                      : *nextInput++);
          for (BlockArgument argument : member.getRegionOutputArgs())
            mapping.map(argument, *nextInit++);
          Block *payload = member.getBody();
          for (Operation &nested : payload->without_terminator())
            body.clone(nested, mapping);
          for (auto [result, value] :
               llvm::zip_equal(member->getResults(),
                               payload->getTerminator()->getOperands())) {
            yielded.push_back(mapping.lookupOrDefault(value));
            mapping.map(result, yielded.back());
          }
        }
        linalg::YieldOp::create(body, loc, yielded);
      });
  for (auto [result, replacement] :
       llvm::zip_equal(results, fused->getResults()))
    result.replaceAllUsesWith(replacement);
  // Ops that need a result of an earlier member move behind, in their order.
  Operation *behind = fused;
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(block.begin(), fused->getIterator())))
    if (dependents.contains(&op)) {
      op.moveAfter(behind);
      behind = &op;
    }
  for (Operation *member : llvm::reverse(members))
    member->erase();
  b.setInsertionPoint(fused);
  (void)linalg::deduplicateOperandsAndRemoveDeadResults(b, fused,
                                                        /*removeOutputs=*/true);
}

/// Returns the members of the class of `leader`, in order.
BlockFuser::Ops BlockFuser::getMembers(const Classes &classes,
                                       Operation *leader) {
  auto members = llvm::to_vector(
      llvm::make_range(classes.findLeader(leader), classes.member_end()));
  llvm::sort(members, [](Operation *one, Operation *other) {
    return one->isBeforeInBlock(other);
  });
  return Ops(members.begin(), members.end());
}

bool BlockFuser::fuseIfFusible(const Ops &members) {
  Ops dependents = findDependents(members);
  if (members.size() < 2 || !isFusible(members, dependents))
    return false;
  numFused += members.size() - 1;
  fuse(members, dependents);
  return true;
}

unsigned BlockFuser::run() {
  collect();
  if (overwritten.empty())
    return 0;
  unite();
  Classes larger = uniteReaders();
  // The leaders of classes, by that of the larger one.
  llvm::MapVector<Operation *, Ops> parts;
  for (Operation *op : candidates)
    if (classes.contains(op))
      parts[larger.getLeaderValue(op)].insert(classes.getLeaderValue(op));
  for (auto &[leader, leaders] : parts) {
    if (fuseIfFusible(getMembers(larger, leader)))
      continue;
    for (Operation *part : leaders)
      fuseIfFusible(getMembers(classes, part));
  }
  return numFused;
}

namespace {
struct FuseUpdates : flywheel::impl::FuseUpdatesBase<FuseUpdates> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      numFused += BlockFuser(*block).run();
  }
};
} // namespace
