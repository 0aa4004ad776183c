//===- OrderStep.cpp - Checks first, updates after the last reader --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockVersions.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Support/CheckedSize.h"
#include "flywheel/Transforms/State/StatePasses.h"
#include "flywheel/Transforms/State/StateVersions.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <queue>

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_ORDERSTEP
#include "flywheel/Transforms/State/StatePasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using flywheel::train::FunctionArgument;
using linalg_ext::ExchangeOp;
using linalg_ext::StoreOp;

namespace {
/// Orders the ops of one block, and of the blocks in it.
///
/// SSA dominance always holds. Soft dependences ("wishes") are added to it: an
/// op that overwrites a version of a variable or a result (a destination-style
/// op on it, a store, or control flow that contains one) should run after every
/// other reader of that version, and after every check. If no order satisfies
/// all of them, the soft dependences of the writer for which that costs the
/// fewest bytes are dropped, so that an order always exists.
///
/// A reader that runs at or after the overwrite reads a copy instead. This
/// happens when a soft dependence was dropped, and when no order can help: for
/// example, an op that reads element i and writes element j of the same
/// variable. If a check runs after the overwrite, bufferization writes the
/// variable to another buffer.
///
/// Ready ops run in program order, with one exception: updates, and the ops
/// that only updates use, run as early as possible, so that the live ranges of
/// the gradients and activations that they read end early.
class StepOrderer {
public:
  StepOrderer(func::FuncOp function, Block &block,
              ArrayRef<StorageRange> ranges)
      : function(function), block(block), versions(block, ranges) {}

  void run();
  /// Returns true if the block, and the blocks in it, already have such an
  /// order, in which no read needs a copy.
  bool isOrdered();
  unsigned getNumSnapshots() const { return numSnapshots; }

private:
  static constexpr unsigned kUnchecked = ~0u;

  /// An op of the block.
  struct Node {
    Node(Operation *op) : op(op) {}

    Operation *op;
    /// The ops that are to come before it, and those that wait for it by
    /// dominance or by soft dependences.
    SmallVector<Node *> predecessors, successors, wishers;
    /// The number of ops that it waits for, by dominance and by soft
    /// dependences.
    unsigned numAwaited = 0, numWished = 0;
    /// The versions that it overwrites.
    SmallVector<unsigned> overwrites;
    /// The number of the first check that needs it. Ops that checks need run
    /// first, in the order of the checks: a check of sizes guards an op that a
    /// check of values needs.
    unsigned urgency = kUnchecked;
    /// Among ops of equal urgency, the one with the lowest rank runs first.
    unsigned rank = 0;
    /// If it overwrites a variable, or only such ops need its results: the one
    /// that needs them, or null if there are several. A gradient has one; a
    /// learning rate and the gradient of an activation have many.
    std::optional<Node *> update;
    /// True if it depends only on scalars and variables, such as a learning
    /// rate. No op is delayed for it; it runs when an update needs it.
    bool isEarly = false;
    bool isEmitted = false;
  };

  void copyStarts();
  void collectNodes();
  void buildWishes();
  void findUpdates();
  unsigned getEagerRank(const Node &node);
  void computeRanks();
  CheckedSize getCost(const Node &node);
  void giveUpCheapest();
  void emit(Node &node);
  void emitViews(Value value);
  void overwrite(unsigned number);
  void snapshot(const Version &version, Value value, ArrayRef<OpOperand *> uses,
                OpBuilder b, StringRef reason);
  void pushIfReady(Node &node);

  Node *getNode(Operation *op) { return nodesByOp.lookup(op); }
  /// Returns the variable whose storage it is, or null.
  Attribute getVariable(BlockArgument storage) {
    std::optional<FunctionArgument> argument = FunctionArgument::get(storage);
    return argument ? argument->getStorage() : Attribute();
  }

  func::FuncOp function;
  Block &block;
  BlockVersions versions;
  unsigned numSnapshots = 0, numEmitted = 0;
  /// In the order of the block.
  std::vector<Node> nodes;
  DenseMap<Operation *, Node *> nodesByOp;
  /// By the number of the version: the ops that are to come before it is
  /// overwritten, and whether it has been.
  SmallVector<llvm::SetVector<Operation *>> readers;
  llvm::BitVector isOverwritten;
  /// The last check of the block, or null.
  Node *lastCheck = nullptr;
  /// The ready ops, by urgency, rank and order in the block.
  using Key = std::tuple<unsigned, unsigned, Node *>;
  std::priority_queue<Key, std::vector<Key>, std::greater<Key>> ready;
};
} // namespace

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Replaces `uses` of `value`, a version of a storage or a part of one, by a
/// copy.
void StepOrderer::snapshot(const Version &version, Value value,
                           ArrayRef<OpOperand *> uses, OpBuilder b,
                           StringRef reason) {
  Attribute name = getVariable(version.storage);
  Location loc = uses.front()->getOwner()->getLoc();
  Value copy = copyVersion(b, loc, value, name);
  for (OpOperand *use : uses)
    use->set(copy);
  // The program asks for each value that a loop carries, so such a copy is not
  // reported.
  if (!name || isa<LoopLikeOpInterface>(uses.front()->getOwner()))
    return;
  ++numSnapshots;
  emitRemark(loc) << "the old value of variable " << name << " is needed "
                  << reason << ": one copy of " << value.getType();
}

/// Gives an op whose init is a variable, but whose result is not a new version
/// of it, a copy as its init.
void StepOrderer::copyStarts() {
  for (const Version &version : versions.getVersions())
    if (getVariable(version.storage))
      for (OpOperand *use : versions.findStarts(version))
        snapshot(version, use->get(), use, OpBuilder(use->getOwner()),
                 "by the op that overwrites it");
}

/// Emits the parts of `value` that can be had, to copy no more than these.
void StepOrderer::emitViews(Value value) {
  for (Operation *user : llvm::to_vector(value.getUsers())) {
    Node *node = isView(user) ? getNode(user) : nullptr;
    if (!node || node->numAwaited > 0)
      continue;
    emit(*node);
    emitViews(user->getResult(0));
  }
}

/// Gives late readers of the version `number` a copy to read.
void StepOrderer::overwrite(unsigned number) {
  const Version &version = versions.getVersions()[number];
  // The old value of a result is nothing.
  bool isResult = version.storage && !getVariable(version.storage);
  if (isOverwritten.test(number) ||
      (isResult && isa<BlockArgument>(version.value)))
    return;
  isOverwritten.set(number);
  auto isLate = [&](Operation *op) {
    Node *node = getNode(op);
    return node && !node->isEmitted;
  };
  emitViews(version.value);
  for (auto &[value, uses] : versions.findLateReads(version, isLate)) {
    bool isWished = llvm::any_of(uses, [&](OpOperand *use) {
      Node *node = getNode(versions.getTopLevel(use->getOwner()));
      return node && !versions.overwrites(node->op, version);
    });
    snapshot(version, value, uses, OpBuilder(block.getTerminator()),
             isWished ? "after it is overwritten, in a cycle of assignments"
                      : "by the op that overwrites it");
  }
}

//===----------------------------------------------------------------------===//
// Soft dependences
//===----------------------------------------------------------------------===//

void StepOrderer::collectNodes() {
  nodes.reserve(block.getOperations().size());
  for (Operation &op : block.without_terminator()) {
    nodes.emplace_back(&op);
    nodesByOp[&op] = &nodes.back();
  }
  auto addDependence = [&](Node &before, Node &after) {
    if (&before == &after)
      return;
    before.successors.push_back(&after);
    after.predecessors.push_back(&before);
    ++after.numAwaited;
  };
  unsigned numChecks = 0;
  for (Node &node : nodes) {
    node.op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (Node *before = getNode(versions.getTopLevel(producer)))
            addDependence(*before, node);
    });
    if (!isa<linalg_ext::CheckOp>(node.op))
      continue;
    if (lastCheck)
      addDependence(*lastCheck, node);
    lastCheck = &node;
    node.urgency = numChecks++;
  }
  for (Node &node : llvm::reverse(nodes))
    for (Node *next : node.successors)
      node.urgency = std::min(node.urgency, next->urgency);
}

void StepOrderer::buildWishes() {
  isOverwritten.resize(versions.getVersions().size());
  for (auto [number, version] : llvm::enumerate(versions.getVersions())) {
    readers.push_back(versions.findReaders(version));
    for (Operation *op : version.writers) {
      Node &writer = *getNode(op);
      writer.overwrites.push_back(number);
      SmallVector<Operation *> before = llvm::to_vector(readers.back());
      // A failing step may leave anything in a buffer of its own.
      bool isGuarded = version.storage && lastCheck;
      // Nothing can come after a check that needs it.
      if (isGuarded && writer.urgency != kUnchecked)
        FunctionArgument(function, version.storage.getArgNumber())
            .removeUpdated();
      else if (isGuarded)
        before.push_back(lastCheck->op);
      for (Operation *other : before) {
        getNode(other)->wishers.push_back(&writer);
        writer.predecessors.push_back(getNode(other));
        ++writer.numWished;
      }
    }
  }
}

bool StepOrderer::isOrdered() {
  collectNodes();
  for (const Version &version : versions.getVersions()) {
    if (getVariable(version.storage) && !versions.findStarts(version).empty())
      return false;
    if (version.writers.empty())
      continue;
    const Node *first = nullptr;
    for (Operation *op : version.writers) {
      const Node *writer = getNode(op);
      first = first ? std::min(first, writer) : writer;
      if (version.storage && lastCheck && writer < lastCheck &&
          writer->urgency == kUnchecked)
        return false;
    }
    auto isLate = [&](Operation *op) { return getNode(op) > first; };
    if (!versions.findLateReads(version, isLate).empty())
      return false;
  }
  return llvm::all_of(versions.findNestedBlocks(), [&](auto &nested) {
    return StepOrderer(function, *nested.first, nested.second).isOrdered();
  });
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

void StepOrderer::findUpdates() {
  for (const Version &version : versions.getVersions())
    if (getVariable(version.storage))
      for (Operation *writer : version.writers)
        getNode(writer)->update = getNode(writer);
  for (Node &node : llvm::reverse(nodes)) {
    if (node.update || node.op->use_empty() || !isMemoryEffectFree(node.op))
      continue;
    llvm::SmallPtrSet<Node *, 4> owners;
    bool isUpdate = llvm::all_of(node.op->getUsers(), [&](Operation *user) {
      Node *next = getNode(versions.getTopLevel(user));
      if (next && next->update)
        owners.insert(*next->update);
      return next && next->update;
    });
    if (isUpdate)
      node.update = owners.size() == 1 ? *owners.begin() : nullptr;
  }
}

/// Returns the rank with which `node` runs right after the ops that it needs,
/// except for early ones. A reader whose only user is another op is computed in
/// the loops of that op.
unsigned StepOrderer::getEagerRank(const Node &node) {
  unsigned eager = 0;
  for (const Node *before : node.predecessors) {
    if (before->isEarly || isa<linalg_ext::CheckOp>(before->op))
      continue;
    eager = std::max(eager, before->rank);
    if (!before->op->hasOneUse())
      continue;
    Node *user = getNode(versions.getTopLevel(*before->op->user_begin()));
    if (user && user != &node)
      eager = std::max(eager, user->rank);
  }
  return eager;
}

void StepOrderer::computeRanks() {
  findUpdates();
  for (auto [number, node] : llvm::enumerate(nodes)) {
    node.rank = number;
    bool isNumber = isa<tensor::EmptyOp>(node.op) ||
                    llvm::none_of(node.op->getResultTypes(),
                                  llvm::IsaPred<RankedTensorType>);
    node.isEarly =
        (isNumber || node.update) && isMemoryEffectFree(node.op) &&
        node.update != &node &&
        llvm::all_of(node.predecessors, [](Node *before) {
          return before->isEarly || isa<linalg_ext::CheckOp>(before->op);
        });
  }
  for (Node &node : nodes)
    if (!node.isEarly && node.update.value_or(nullptr))
      if (unsigned eager = getEagerRank(node))
        node.rank = eager;
  for (Node &node : llvm::reverse(nodes))
    if (node.isEarly && node.update)
      for (Node *next : llvm::concat<Node *>(node.successors, node.wishers))
        node.rank = std::min(node.rank, next->rank);
}

//===----------------------------------------------------------------------===//
// List scheduling
//===----------------------------------------------------------------------===//

/// Returns the bytes of the copies that dropping the open soft dependences of
/// `node` takes; 1 GiB for each version whose size is dynamic.
CheckedSize StepOrderer::getCost(const Node &node) {
  CheckedSize bytes = 0;
  for (unsigned number : node.overwrites) {
    const Version &version = versions.getVersions()[number];
    auto type = cast<RankedTensorType>(version.value.getType());
    CheckedSize size =
        type.hasStaticShape() ? getNumBytes(type) : CheckedSize(1 << 30);
    if (llvm::any_of(readers[number], [&](Operation *reader) {
          return !getNode(reader)->isEmitted;
        }))
      bytes += size;
    // The variable is copied to the buffer in which it is written, and back.
    if (version.storage && lastCheck && !lastCheck->isEmitted &&
        node.urgency == kUnchecked)
      bytes += size * 4;
  }
  return bytes;
}

/// Drops the soft dependences of the op for which that costs the fewest bytes,
/// among the ops that wait only for soft dependences.
void StepOrderer::giveUpCheapest() {
  Node *cheapest = nullptr;
  int64_t least = 0;
  for (Node &node : nodes) {
    if (node.isEmitted || node.numAwaited > 0 || node.numWished == 0)
      continue;
    int64_t cost = getCost(node).getSaturated();
    if (cheapest && cost >= least)
      continue;
    cheapest = &node;
    least = cost;
  }
  // A check that comes late needs the new value: it is not made in place.
  for (unsigned number : cheapest->overwrites)
    if (BlockArgument storage = versions.getVersions()[number].storage)
      if (lastCheck && !lastCheck->isEmitted)
        FunctionArgument(function, storage.getArgNumber()).removeUpdated();
  cheapest->numWished = 0;
  pushIfReady(*cheapest);
}

void StepOrderer::pushIfReady(Node &node) {
  if (node.numAwaited == 0 && node.numWished == 0 && !node.isEmitted)
    ready.push({node.urgency, node.rank, &node});
}

void StepOrderer::emit(Node &node) {
  if (node.isEmitted)
    return;
  for (unsigned number : node.overwrites)
    overwrite(number);
  node.op->moveBefore(block.getTerminator());
  node.isEmitted = true;
  ++numEmitted;
  for (Node *next : node.successors) {
    --next->numAwaited;
    pushIfReady(*next);
  }
  for (Node *next : node.wishers)
    if (next->numWished > 0) {
      --next->numWished;
      pushIfReady(*next);
    }
}

void StepOrderer::run() {
  copyStarts();
  collectNodes();
  buildWishes();
  computeRanks();
  for (Node &node : nodes)
    pushIfReady(node);
  while (numEmitted < nodes.size()) {
    if (ready.empty())
      giveUpCheapest();
    Node *node = std::get<2>(ready.top());
    ready.pop();
    emit(*node);
  }
  for (auto &[nestedBlock, nestedRanges] : versions.findNestedBlocks()) {
    StepOrderer orderer(function, *nestedBlock, nestedRanges);
    orderer.run();
    numSnapshots += orderer.numSnapshots;
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Drops the stores of values that are computed in their own storage. But a
/// loop that a check needs runs on copies: the variables are written after the
/// check.
static void dropStores(func::FuncOp function) {
  llvm::DenseSet<Operation *> checked = findChecked(function.getBody().front());
  function.walk([&](StoreOp store) {
    Operation *producer = store.getSource().getDefiningOp();
    if (!isInPlaceOf(store.getSource(), store.getDestination()) ||
        (isa_and_nonnull<LoopLikeOpInterface>(producer) &&
         checked.contains(producer)))
      return;
    store.getResult().replaceAllUsesWith(store.getSource());
    store.erase();
  });
}

/// Merges two stores that swap the old values of two storages into one op: in
/// either order, one of the two would need a copy.
static void fuseSwaps(func::FuncOp function) {
  llvm::DenseMap<std::pair<Value, Value>, StoreOp> seen;
  function.walk([&](StoreOp store) {
    Value source = store.getSource(), destination = store.getDestination();
    auto type = cast<RankedTensorType>(source.getType());
    auto other = seen.find({destination, source});
    if (type != destination.getType() || !type.hasStaticShape())
      return;
    if (other == seen.end() || other->second->getBlock() != store->getBlock()) {
      seen[{source, destination}] = store;
      return;
    }
    // Replace the first store: the other one needs only the same operands.
    StoreOp first = other->second;
    OpBuilder b(first);
    auto exchange = ExchangeOp::create(b, store.getLoc(), source, destination);
    seen.erase(other);
    first.replaceAllUsesWith(exchange.getNewFirst());
    store.replaceAllUsesWith(exchange.getNewSecond());
    first.erase();
    store.erase();
  });
}

/// Returns the storages of the arguments of `function`, with their first and
/// last versions.
static SmallVector<StorageRange> findRanges(func::FuncOp function) {
  SmallVector<StorageRange> ranges;
  forEachStorage(function, [&](BlockArgument storage, Value last) {
    ranges.push_back({storage, storage, last});
  });
  return ranges;
}

namespace {
struct OrderStep : flywheel::impl::OrderStepBase<OrderStep> {
  using OrderStepBase::OrderStepBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    Block &entry = function.getBody().front();
    if (ifDisordered &&
        StepOrderer(function, entry, findRanges(function)).isOrdered())
      return;
    dropStores(function);
    fuseSwaps(function);
    StepOrderer orderer(function, entry, findRanges(function));
    orderer.run();
    numSnapshots += orderer.getNumSnapshots();
  }
};
} // namespace
