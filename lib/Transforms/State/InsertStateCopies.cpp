//===- InsertStateCopies.cpp - One buffer for what replaces each other
//--------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: a bufferized function, which returns a buffer for each storage that
// it writes, and whose loops carry buffers. After: it returns the storages
// themselves, and the loops carry no buffer: values that are still in another
// buffer at the end of the function or of an iteration are copied to their
// storage by one parallel move.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Analysis/BufferAccesses.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Transforms/State/StatePasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_INSERTSTATECOPIES
#include "flywheel/Transforms/State/StatePasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using flywheel::linalg_ext::CommitOp;
using flywheel::linalg_ext::LinalgExtDialect;
using flywheel::train::FunctionArgument;

/// Builds a contiguous buffer of the size of `buffer`.
static memref::AllocOp allocateLike(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, loc, buffer, dim));
  return memref::AllocOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType()), sizes);
}

/// Returns the buffer that `buffer` is, whole, under another type.
static Value getWholeBuffer(Value buffer) {
  return getViewed<memref::CastOp>(buffer);
}

/// Returns the memory of `buffer`. A value that a loop carries will be in the
/// buffer that it starts in.
static BufferRoots findOrigins(Value buffer) {
  return findRoots(buffer, Iterations::First);
}

static Value castTo(OpBuilder &b, Location loc, Value buffer, Type type) {
  return buffer.getType() == type
             ? buffer
             : memref::CastOp::create(b, loc, type, buffer).getResult();
}

namespace {
/// Copies between buffers, all at once.
class ParallelMove {
public:
  ParallelMove(Operation *end) : b(end), end(end) {}

  /// Adds a copy of `source` to `target`. Returns false if `source` is in
  /// `target` already.
  bool add(Value source, Value target);
  /// Emits the copies and returns their number.
  unsigned emit();

private:
  struct Move {
    Value source, target;
    /// The allocation that the source has been copied to, if it has, and the
    /// marks of that copy.
    memref::AllocOp copied;
    DictionaryAttr marks;
    /// The origins of `source` and of `target`.
    BufferRoots origins, targets;
  };

  void copy(const Move &move, Value target);
  void copyApart(Move &move);
  memref::CopyOp findCopy(memref::AllocOp alloc);

  OpBuilder b;
  Operation *end;
  SmallVector<Move> moves;
};

struct InsertStateCopies
    : flywheel::impl::InsertStateCopiesBase<InsertStateCopies> {
  void runOnOperation() override;

private:
  void equate(LoopLikeOpInterface loop);
  void equate(CommitOp commit);
};
} // namespace

/// Returns the only copy to `alloc`, if its source still has the same contents
/// at the end of the block.
memref::CopyOp ParallelMove::findCopy(memref::AllocOp alloc) {
  memref::CopyOp copy;
  for (Operation *user : alloc->getUsers()) {
    if (user == end || (isa<memref::CastOp>(user) &&
                        llvm::all_of(user->getUsers(), [&](Operation *other) {
                          return other == end;
                        })))
      continue;
    auto found = dyn_cast<memref::CopyOp>(user);
    if (copy || !found || found.getTarget() != alloc.getResult() ||
        found->getBlock() != end->getBlock())
      return {};
    copy = found;
  }
  if (!copy)
    return {};
  BufferRoots kept = findOrigins(copy.getSource());
  kept.roots.insert(alloc.getResult());
  for (Operation *op = copy->getNextNode(); op != end; op = op->getNextNode()) {
    auto other = dyn_cast<memref::CopyOp>(op);
    bool isElsewhere =
        other && !mayOverlap(findOrigins(other.getTarget()), kept);
    if (!isElsewhere && !isa<memref::AllocOp>(op) && !isMemoryEffectFree(op))
      return {};
  }
  return copy;
}

bool ParallelMove::add(Value source, Value target) {
  source = getWholeBuffer(source);
  if (source == getWholeBuffer(target))
    return false;
  Move move{source, target, {}, {}, {}, findOrigins(target)};
  // Bufferization may have copied it already.
  if (auto alloc = source.getDefiningOp<memref::AllocOp>();
      alloc && alloc->getBlock() == end->getBlock())
    if (memref::CopyOp copy = findCopy(alloc)) {
      move.source = getWholeBuffer(copy.getSource());
      move.copied = alloc;
      move.marks = copy->getDiscardableAttrDictionary();
      if (move.source == getWholeBuffer(target))
        return false;
    }
  move.origins = findOrigins(move.source);
  moves.push_back(std::move(move));
  return true;
}

/// Copies the source of `move` to `target`. A loop's yield is an assignment
/// that the program asked for, so that a copy of a variable is allowed there.
void ParallelMove::copy(const Move &move, Value target) {
  auto copy = memref::CopyOp::create(b, end->getLoc(), move.source, target);
  if (move.marks)
    copy->setDiscardableAttrs(move.marks);
  if (!isa<CommitOp>(end))
    copy->setAttr(LinalgExtDialect::getAssignedAttrName(), b.getUnitAttr());
}

/// Reads a source before anything is overwritten.
void ParallelMove::copyApart(Move &move) {
  if (!move.copied) {
    move.copied = allocateLike(b, end->getLoc(), move.source);
    copy(move, move.copied);
  }
  move.source = move.copied;
  move.origins = findOrigins(move.source);
}

unsigned ParallelMove::emit() {
  unsigned numCopies = moves.size();
  while (!moves.empty()) {
    auto *free = llvm::find_if(moves, [&](Move &move) {
      return llvm::none_of(moves, [&](Move &other) {
        return &other != &move && mayOverlap(move.targets, other.origins);
      });
    });
    if (free != moves.end()) {
      copy(*free, free->target);
      moves.erase(free);
      continue;
    }
    auto *held = llvm::find_if(moves, [](Move &move) {
      return !move.copied || move.source != move.copied.getResult();
    });
    // If every source has been copied, only targets of unknown origin block the
    // moves. The sources overlap with no target, so any order is correct.
    if (held == moves.end()) {
      for (Move &move : moves)
        move.origins = {};
      continue;
    }
    copyApart(*held);
  }
  return numCopies;
}

/// Removes allocations of `block` that are copied to, but not read.
static void eraseUnread(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (!alloc || !llvm::all_of(alloc->getUsers(), [&](Operation *user) {
          auto copy = dyn_cast<memref::CopyOp>(user);
          return copy && copy.getTarget() == alloc.getResult();
        }))
      continue;
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      user->erase();
    alloc.erase();
  }
}

/// Gives each buffer that `loop` carries its own: two that start as one are
/// copied apart.
static void separateInits(LoopLikeOpInterface loop) {
  llvm::SmallPtrSet<Value, 4> seen;
  OpBuilder b(loop);
  for (OpOperand &init : loop.getInitsMutable()) {
    Value whole = getWholeBuffer(init.get());
    if (!isa<MemRefType>(whole.getType()) || seen.insert(whole).second)
      continue;
    memref::AllocOp own = allocateLike(b, loop.getLoc(), init.get());
    memref::CopyOp::create(b, loop.getLoc(), init.get(), own);
    init.set(castTo(b, loop.getLoc(), own, init.get().getType()));
  }
}

/// Replaces the buffers that the condition of `loop` forwards by the inits, if
/// it forwards these.
static void forwardInits(scf::WhileOp loop) {
  for (auto [passed, after, result] :
       llvm::zip_equal(loop.getConditionOp().getArgs(),
                       loop.getAfterArguments(), loop.getResults())) {
    Value whole = getWholeBuffer(passed);
    if (!isa<MemRefType>(passed.getType()) ||
        !llvm::is_contained(loop.getInits(), whole))
      continue;
    OpBuilder b(loop);
    Value same = castTo(b, loop.getLoc(), whole, passed.getType());
    after.replaceAllUsesWith(same);
    result.replaceAllUsesWith(same);
  }
}

void InsertStateCopies::equate(LoopLikeOpInterface loop) {
  auto yielded = loop.getYieldedValuesMutable();
  if (!yielded || yielded->empty())
    return;
  separateInits(loop);
  SmallVector<std::pair<OpOperand *, Value>> passedOn;
  for (auto [init, argument, value] : llvm::zip_equal(
           loop.getInitsMutable(), loop.getRegionIterArgs(), *yielded)) {
    if (!isa<MemRefType>(argument.getType()))
      continue;
    argument.replaceAllUsesWith(init.get());
    if (OpResult result = loop.getTiedLoopResult(&init))
      result.replaceAllUsesWith(init.get());
    passedOn.push_back({&value, init.get()});
  }
  if (auto whileLoop = dyn_cast<scf::WhileOp>(loop.getOperation()))
    forwardInits(whileLoop);
  Operation *yield = yielded->front().getOwner();
  ParallelMove moves(yield);
  for (auto [value, init] : passedOn) {
    moves.add(value->get(), init);
    value->set(init);
  }
  numCopies += moves.emit();
  eraseUnread(*yield->getBlock());
}

void InsertStateCopies::equate(CommitOp commit) {
  ParallelMove moves(commit);
  for (auto [value, storage] :
       llvm::zip(commit.getValues(), commit.getStorages())) {
    std::optional<FunctionArgument> argument = FunctionArgument::get(storage);
    if (!moves.add(value, storage) || !argument)
      continue;
    if (Attribute variable = argument->getStorage())
      emitRemark(value.getLoc())
          << "variable " << variable
          << " gets its new value at the end of the step, as its old one is "
             "needed until then: one copy of "
          << storage.getType();
  }
  numCopies += moves.emit();
  Block *block = commit->getBlock();
  commit.erase();
  eraseUnread(*block);
}

void InsertStateCopies::runOnOperation() {
  if (getOperation().isExternal())
    return;
  WalkResult commits = getOperation().walk([](CommitOp commit) {
    if (llvm::none_of(commit->getOperandTypes(), llvm::IsaPred<TensorType>))
      return WalkResult::advance();
    commit.emitOpError() << "expected buffers, found tensors";
    return WalkResult::interrupt();
  });
  if (commits.wasInterrupted())
    return signalPassFailure();
  // Inner loops come first: an outer loop may carry their results.
  getOperation().walk([&](Operation *op) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      equate(loop);
    else if (auto commit = dyn_cast<CommitOp>(op))
      equate(commit);
  });
}
