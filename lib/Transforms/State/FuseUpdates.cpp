//===- FuseUpdates.cpp - One op for updates that read each other ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Transforms/State/StatePasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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

/// Whether `op` computes its results element by element, all in one order.
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

static llvm::DenseSet<Operation *> toSet(ArrayRef<linalg::GenericOp> ops) {
  llvm::DenseSet<Operation *> set;
  for (linalg::GenericOp op : ops)
    set.insert(op.getOperation());
  return set;
}

/// Whether `op` reads nothing but whole elements through `use`, each where it
/// writes one.
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
  void collect();
  void unite();
  bool isFusible(ArrayRef<linalg::GenericOp> members);
  bool keepsReads(ArrayRef<linalg::GenericOp> members,
                  const llvm::SetVector<Operation *> &dependents);
  llvm::SetVector<Operation *>
  findDependents(ArrayRef<linalg::GenericOp> members);
  void fuse(ArrayRef<linalg::GenericOp> members);

  Block &block;
  /// Elementwise ops, in order.
  llvm::SetVector<Operation *> candidates;
  /// The values that those of them which update variables overwrite.
  llvm::MapVector<Operation *, SmallVector<Value>> overwritten;
  llvm::EquivalenceClasses<Operation *> classes;
};
} // namespace

/// Whether `value` is a version of a variable, or of what a loop carries: what
/// a block finds there, or what was stored.
static bool isVersion(Value value) {
  while (auto store = value.getDefiningOp<StoreOp>())
    value = store.getDestination();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return !function ||
         function.getArgAttr(argument.getArgNumber(),
                             train::TrainDialect::getWritesAttrName());
}

void BlockFuser::collect() {
  llvm::DenseSet<Operation *> checked = findChecked(block);
  for (Operation &op : block) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || !isElementwise(generic) || checked.contains(&op))
      continue;
    candidates.insert(&op);
    SmallVector<Value> versions;
    for (Value init : generic.getDpsInits())
      if (isVersion(init))
        versions.push_back(init);
    for (Operation *user : op.getUsers())
      if (auto store = dyn_cast<StoreOp>(user))
        if (store->getBlock() == &block && isVersion(store.getDestination()))
          versions.push_back(store.getDestination());
    if (!versions.empty())
      overwritten[&op] = versions;
  }
}

/// Puts together what is connected.
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
  // From the last one back: what only members use is one.
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

/// The ops of the block, but for members, that need what a member computes.
llvm::SetVector<Operation *>
BlockFuser::findDependents(ArrayRef<linalg::GenericOp> members) {
  llvm::DenseSet<Operation *> inside = toSet(members);
  llvm::SetVector<Operation *> dependents;
  SmallVector<Operation *> worklist;
  for (linalg::GenericOp member : members)
    worklist.push_back(member.getOperation());
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val()->getUsers()) {
      Operation *top = block.findAncestorOpInBlock(*user);
      if (top && !inside.contains(top) && dependents.insert(top))
        worklist.push_back(top);
    }
  return dependents;
}

/// Whether nothing reads, after the one op, what it overwrites, or elsewhere
/// than it does.
bool BlockFuser::keepsReads(ArrayRef<linalg::GenericOp> members,
                            const llvm::SetVector<Operation *> &dependents) {
  llvm::DenseSet<Value> versions;
  for (linalg::GenericOp member : members)
    if (auto *it = overwritten.find(member.getOperation());
        it != overwritten.end())
      versions.insert(it->second.begin(), it->second.end());
  for (linalg::GenericOp member : members)
    for (OpOperand &use : member->getOpOperands())
      if (versions.contains(getRoot(use.get())) &&
          (!versions.contains(use.get()) || !readsSameElement(use)))
        return false;
  return llvm::none_of(dependents, [&](Operation *op) {
    if (isa<StoreOp>(op))
      return false;
    return op
        ->walk([&](Operation *nested) {
          return llvm::any_of(nested->getOperands(),
                              [&](Value value) {
                                return versions.contains(getRoot(value));
                              })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

bool BlockFuser::isFusible(ArrayRef<linalg::GenericOp> members) {
  llvm::SetVector<Operation *> dependents = findDependents(members);
  llvm::DenseSet<Operation *> inside = toSet(members);
  llvm::DenseSet<Value> inits;
  llvm::DenseSet<Operation *> products;
  for (linalg::GenericOp member : members) {
    for (OpOperand &operand : member->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      // Something has to come in between.
      if (producer && dependents.contains(producer))
        return false;
      bool isMember = producer && inside.contains(producer);
      if (isMember &&
          (member.isDpsInit(&operand) || !readsSameElement(operand)))
        return false;
      if (member.isDpsInit(&operand) &&
          !operand.get().getDefiningOp<tensor::EmptyOp>() &&
          !inits.insert(operand.get()).second)
        return false;
      auto structured = dyn_cast_or_null<linalg::LinalgOp>(producer);
      if (structured && linalg::isaContractionOpInterface(structured))
        products.insert(producer);
    }
  }
  // What comes later is moved behind the one op: not what has an effect.
  Operation *last = members.back();
  for (Operation *op : dependents)
    if (op->isBeforeInBlock(last) && !isMemoryEffectFree(op) &&
        !isa<StoreOp>(op))
      return false;
  return products.size() <= 1 && keepsReads(members, dependents);
}

void BlockFuser::fuse(ArrayRef<linalg::GenericOp> members) {
  llvm::SetVector<Operation *> dependents = findDependents(members);
  llvm::DenseSet<Operation *> inside = toSet(members);
  OpBuilder b(members.back());
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> inputMaps, initMaps;
  SmallVector<Value> kept;
  llvm::DenseMap<std::pair<Value, AffineMap>, unsigned> inputNumbers;
  for (linalg::GenericOp member : members) {
    for (OpOperand *input : member.getDpsInputOperands()) {
      Operation *producer = input->get().getDefiningOp();
      AffineMap map = member.getMatchingIndexingMap(input);
      if ((producer && inside.contains(producer)) ||
          !inputNumbers.try_emplace({input->get(), map}, inputs.size()).second)
        continue;
      inputs.push_back(input->get());
      inputMaps.push_back(map);
    }
    for (OpOperand &init : member.getDpsInitsMutable()) {
      OpResult result = member.getTiedOpResult(&init);
      bool isUsed = llvm::any_of(result.getUsers(), [&](Operation *user) {
        return !inside.contains(user);
      });
      bool isRead = member.payloadUsesValueFromOperand(&init);
      if (!isUsed && !isRead)
        continue;
      kept.push_back(result);
      inits.push_back(init.get());
      initMaps.push_back(member.getMatchingIndexingMap(&init));
      if (auto empty = init.get().getDefiningOp<tensor::EmptyOp>())
        inits.back() = b.clone(*empty)->getResult(0);
    }
  }
  SmallVector<AffineMap> maps = inputMaps;
  llvm::append_range(maps, initMaps);
  SmallVector<Location> locs;
  for (linalg::GenericOp member : members)
    locs.push_back(member.getLoc());
  SmallVector<utils::IteratorType> iterators(getShape(members.back()).size(),
                                             utils::IteratorType::parallel);
  auto fused = linalg::GenericOp::create(
      b, b.getFusedLoc(locs), TypeRange(ValueRange(inits)), inputs, inits, maps,
      iterators, [&](OpBuilder &body, Location loc, ValueRange elements) {
        llvm::DenseMap<Value, Value> made;
        unsigned nextInit = inputs.size();
        for (linalg::GenericOp member : members) {
          IRMapping mapping;
          for (OpOperand *input : member.getDpsInputOperands()) {
            Value element = made.lookup(input->get());
            if (!element)
              element = elements[inputNumbers.lookup(
                  {input->get(), member.getMatchingIndexingMap(input)})];
            mapping.map(member.getMatchingBlockArgument(input), element);
          }
          for (OpOperand &init : member.getDpsInitsMutable())
            if (llvm::is_contained(kept, member.getTiedOpResult(&init)))
              mapping.map(member.getMatchingBlockArgument(&init),
                          elements[nextInit++]);
          Block *payload = member.getBody();
          for (Operation &op : payload->without_terminator())
            body.clone(op, mapping);
          for (auto [result, value] :
               llvm::zip_equal(member->getResults(),
                               payload->getTerminator()->getOperands()))
            made[result] = mapping.lookupOrDefault(value);
        }
        SmallVector<Value> results;
        for (Value result : kept)
          results.push_back(made[result]);
        linalg::YieldOp::create(body, loc, results);
      });
  for (auto [result, replacement] : llvm::zip_equal(kept, fused->getResults()))
    result.replaceAllUsesWith(replacement);
  // What needs a result of an earlier member comes behind, in its order.
  SmallVector<Operation *> early;
  for (Operation &op : block)
    if (dependents.contains(&op) && op.isBeforeInBlock(fused))
      early.push_back(&op);
  Operation *behind = fused;
  for (Operation *op : early) {
    op->moveAfter(behind);
    behind = op;
  }
  for (linalg::GenericOp member : llvm::reverse(members))
    member->erase();
}

unsigned BlockFuser::run() {
  collect();
  if (overwritten.size() < 2)
    return 0;
  unite();
  SmallVector<SmallVector<linalg::GenericOp>> groups;
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (Operation *op : candidates) {
    if (!classes.contains(op))
      continue;
    Operation *leader = classes.getLeaderValue(op);
    auto [it, isNew] = numbers.insert({leader, groups.size()});
    if (isNew)
      groups.emplace_back();
    groups[it->second].push_back(cast<linalg::GenericOp>(op));
  }
  unsigned numFused = 0;
  for (ArrayRef<linalg::GenericOp> members : groups) {
    if (members.size() < 2 || !isFusible(members))
      continue;
    numFused += members.size() - 1;
    fuse(members);
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
