//===- DecideOnGPU.cpp - Checks and scalars on the device -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: a kernel of a step whose structured ops are launches, and whose host
// reads elements for checks and for operands of launches. After: the host reads
// only the numbers that it decides by: which branch, how many iterations, how
// large a buffer. Launches read their operands themselves. A check is a launch
// of one thread, which writes its number to a word of the device if it fails
// and the word is 0; later launches do nothing unless it is 0. The host reads
// the word when it waits for the device: at the end, or before a decision of
// its own. If a check has failed, it then branches to the failure block of the
// check, and computes the values in the message, from buffers that are
// unchanged since.
//
//===----------------------------------------------------------------------===//

#include "CarriedScalars.h"
#include "HostScalars.h"
#include "KernelBlocks.h"
#include "flywheel/Codegen/GPU/RuntimeCalls.h"

#include "flywheel/Codegen/GPU/GPUPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_DECIDEONGPU
#include "flywheel/Codegen/GPU/GPUPasses.h.inc"
} // namespace flywheel

namespace {
/// The checks of one kernel.
class DeviceChecks {
public:
  DeviceChecks(func::FuncOp kernel, const Manifest &manifest)
      : kernel(kernel), scalars(kernel, manifest) {}

  /// Returns the number of checks on the device.
  unsigned run();

private:
  void splitFailures();
  void dropKnownChecks();
  void defer(cf::CondBranchOp check);
  bool canDefer(cf::CondBranchOp check);
  bool collectMessage(cf::CondBranchOp check,
                      llvm::SetVector<Operation *> &ops);
  void mergeBlocks();
  void joinLaunches();
  void guardLaunches();
  void guard(Block &body, Block::iterator begin);
  Block *makeDispatch(ArrayRef<Block *> failures, Location loc);
  Value await(OpBuilder &b, Location loc, bool isLast);
  Value getWord();

  func::FuncOp kernel;
  HostScalars scalars;
  /// The launches of checks, and the blocks of the host for their failures.
  llvm::DenseMap<Operation *, SmallVector<Block *>> checks;
  unsigned numChecks = 0;
  /// The word of the device.
  Value word;
};
} // namespace

/// Returns the word, which the runtime has.
Value DeviceChecks::getWord() {
  if (word)
    return word;
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  RuntimeCalls runtime(kernel->getParentOfType<ModuleOp>(), b, kernel.getLoc());
  Value bytes = runtime.callForBytes("status", {});
  word = memref::ViewOp::create(b, kernel.getLoc(),
                                MemRefType::get({}, b.getI32Type()), bytes,
                                runtime.index(0), ValueRange());
  return word;
}

/// Returns true if `op` only reads memory.
static bool onlyReads(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](const auto &effect) {
           return isa<MemoryEffects::Read>(effect.getEffect());
         });
}

/// Collects, in their order, the ops before `check` that compute the values in
/// its message. Returns false if they read memory that is written before the
/// check.
bool DeviceChecks::collectMessage(cf::CondBranchOp check,
                                  llvm::SetVector<Operation *> &ops) {
  SmallVector<Value> values;
  auto addOperands = [&](Operation *op) {
    op->walk([&](Operation *inner) {
      llvm::append_range(values, inner->getOperands());
    });
  };
  for (Operation &op : *check.getFalseDest())
    addOperands(&op);
  llvm::SmallPtrSet<Operation *, 16> found;
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    // A slot dominates the failure block already.
    if (op && op->getBlock() == check->getBlock() &&
        !isa<memref::AllocaOp>(op) && found.insert(op).second)
      addOperands(op);
  }
  bool isQuiet = true;
  for (Operation &op : llvm::reverse(check->getBlock()->without_terminator())) {
    isQuiet = isQuiet && onlyReads(&op);
    if (!found.contains(&op))
      continue;
    if (!isQuiet && scalars.hasAccess(&op))
      return false;
    ops.insert(&op);
  }
  return true;
}

/// Returns true if the device can decide `check`, for which the host would only
/// read values of the device.
bool DeviceChecks::canDefer(cf::CondBranchOp check) {
  llvm::SetVector<Operation *> ops;
  return getFailureStatus(check.getFalseDest()) > 0 &&
         check.getFalseDest()->getSinglePredecessor() &&
         check.getFalseDest()->getNumArguments() == 0 &&
         scalars.isComputable(check.getCondition()) &&
         collectMessage(check, ops);
}

/// Gives each check its own block of failure: upstream has merged blocks that
/// differ in a number.
void DeviceChecks::splitFailures() {
  llvm::SmallSetVector<Block *, 4> shared;
  for (Block &block : llvm::make_early_inc_range(kernel.getBody())) {
    auto check = dyn_cast<cf::CondBranchOp>(block.getTerminator());
    Block *failure = check ? check.getFalseDest() : nullptr;
    if (!failure || !isa<func::ReturnOp>(failure->getTerminator()) ||
        (failure->getSinglePredecessor() && failure->getNumArguments() == 0))
      continue;
    shared.insert(failure);
    IRMapping mapping;
    mapping.map(failure->getArguments(), check.getFalseDestOperands());
    OpBuilder b(kernel.getContext());
    Block *own = b.createBlock(&kernel.getBody(), kernel.getBody().end());
    for (Operation &op : *failure)
      b.clone(op, mapping);
    check.getFalseDestOperandsMutable().clear();
    check.setSuccessor(own, 1);
  }
  for (Block *failure : shared)
    if (failure->hasNoPredecessors())
      failure->erase();
}

/// Erases checks of a condition that an earlier one has checked.
void DeviceChecks::dropKnownChecks() {
  llvm::SmallDenseSet<Value> known;
  for (Block *block = &kernel.getBody().front(); block;) {
    Block *next = getNext(block);
    auto check = dyn_cast<cf::CondBranchOp>(block->getTerminator());
    if (check && !known.insert(check.getCondition()).second) {
      Block *failure = check.getFalseDest();
      OpBuilder b(check);
      cf::BranchOp::create(b, check.getLoc(), next,
                           check.getTrueDestOperands());
      check.erase();
      if (failure->hasNoPredecessors())
        failure->erase();
    }
    block = next;
  }
}

void DeviceChecks::defer(cf::CondBranchOp check) {
  Location loc = check.getLoc();
  Block *failure = check.getFalseDest();
  // In the failure block the host knows that the check has failed.
  llvm::SetVector<Operation *> ops;
  collectMessage(check, ops);
  OpBuilder b = OpBuilder::atBlockBegin(failure);
  IRMapping mapping;
  Value isNot = arith::ConstantIntOp::create(b, loc, 0, 1);
  mapping.map(check.getCondition(), isNot);
  llvm::SmallPtrSet<Operation *, 16> clones = {isNot.getDefiningOp()};
  for (Operation *op : llvm::reverse(ops)) {
    if (op == check.getCondition().getDefiningOp())
      continue;
    clones.insert(b.clone(*op, mapping));
  }
  for (Operation &op : *failure)
    if (!clones.contains(&op))
      op.walk([&](Operation *inner) {
        for (OpOperand &operand : inner->getOpOperands())
          operand.set(mapping.lookupOrDefault(operand.get()));
      });

  b.setInsertionPoint(check);
  Value status =
      arith::ConstantIntOp::create(b, loc, getFailureStatus(failure), 32);
  Value place = getWord();
  gpu::LaunchOp launch = scalars.launchOne(b, loc);
  Value known = memref::LoadOp::create(b, loc, place);
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, known, zero);
  Value isWrong = arith::XOrIOp::create(
      b, loc, check.getCondition(), arith::ConstantIntOp::create(b, loc, 1, 1));
  Value isNew = arith::AndIOp::create(b, loc, isFirst, isWrong);
  memref::StoreOp::create(
      b, loc, arith::SelectOp::create(b, loc, isNew, status, known), place);
  checks[launch] = {failure};
  ++numChecks;
  b.setInsertionPoint(check);
  cf::BranchOp::create(b, loc, check.getTrueDest(),
                       check.getTrueDestOperands());
  check.erase();
}

/// Waits for the device, and returns the word; `isLast` if the step ends there.
Value DeviceChecks::await(OpBuilder &b, Location loc, bool isLast) {
  RuntimeCalls runtime(kernel->getParentOfType<ModuleOp>(), b, loc);
  Value last = arith::ConstantIntOp::create(b, loc, isLast, 32);
  return runtime.call("await", b.getI32Type(), last).getResult(0);
}

/// Creates a block with the word as its argument, which branches to the failure
/// block of the check that the word names.
Block *DeviceChecks::makeDispatch(ArrayRef<Block *> failures, Location loc) {
  OpBuilder b(kernel.getContext());
  Block *block = b.createBlock(&kernel.getBody(), kernel.getBody().end(),
                               b.getI32Type(), loc);
  Value status = block->getArgument(0);
  SmallVector<int32_t> numbers;
  SmallVector<Block *> blocks;
  for (Block *failure : failures) {
    if (llvm::is_contained(blocks, failure))
      continue;
    numbers.push_back(getFailureStatus(failure));
    blocks.push_back(failure);
  }
  // No check has any other number.
  Block *other = b.createBlock(&kernel.getBody(), kernel.getBody().end());
  func::ReturnOp::create(b, loc, status);
  b.setInsertionPointToEnd(block);
  SmallVector<ValueRange> none(blocks.size());
  cf::SwitchOp::create(b, loc, status, other, ValueRange(), numbers, blocks,
                       none);
  return block;
}

/// Makes all ops from `begin` to the end of `body`, of a launch, depend on the
/// word.
void DeviceChecks::guard(Block &body, Block::iterator begin) {
  OpBuilder b(&body, begin);
  Location loc = body.getParentOp()->getLoc();
  Value status = memref::LoadOp::create(b, loc, getWord());
  Value isOk =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, status,
                            arith::ConstantIntOp::create(b, loc, 0, 32));
  auto branch = scf::IfOp::create(b, loc, isOk);
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(std::next(branch->getIterator()),
                            body.getTerminator()->getIterator()))) {
    // Memory of a thread is allocated outside of the branch.
    if (isa<memref::AllocaOp>(op))
      op.moveBefore(branch);
    else
      op.moveBefore(branch.thenBlock()->getTerminator());
  }
}

/// Merges blocks between which there is no branch any more.
void DeviceChecks::mergeBlocks() {
  for (Block *block = &kernel.getBody().front(); block;) {
    auto branch = dyn_cast<cf::BranchOp>(block->getTerminator());
    Block *next = getNext(block);
    if (!branch || !next->getSinglePredecessor() ||
        next->getNumArguments() != 0) {
      block = next;
      continue;
    }
    branch.erase();
    block->getOperations().splice(block->end(), next->getOperations());
    next->erase();
  }
}

/// Joins launches of one thread, if the ops between them allow it: later ones
/// run earlier.
void DeviceChecks::joinLaunches() {
  for (Block &block : kernel.getBody()) {
    gpu::LaunchOp first;
    for (auto launch :
         llvm::make_early_inc_range(block.getOps<gpu::LaunchOp>())) {
      if (!first || !scalars.canJoin(first, launch)) {
        if (scalars.isOfOneThread(launch))
          first = launch;
        continue;
      }
      auto later = checks.find(launch);
      bool isCheck = later != checks.end();
      SmallVector<Block *> failures =
          isCheck ? later->second : SmallVector<Block *>();
      if (isCheck)
        checks.erase(later);
      // A launch that is not a check must not run if a check before it has
      // failed.
      else if (checks.contains(first))
        guard(launch.getBody().front(), launch.getBody().front().begin());
      scalars.join(first, launch);
      if (isCheck)
        llvm::append_range(checks[first], failures);
    }
  }
}

/// Returns true if `op` changes a number of the host: one of the state's
/// header.
static bool hasHostEffect(Operation *op) {
  if (isa<gpu::LaunchOp>(op))
    return false;
  if (op->getNumRegions() == 0)
    return !onlyReads(op) && !isa<memref::AllocaOp>(op) &&
           !op->hasTrait<OpTrait::IsTerminator>();
  return llvm::any_of(op->getRegions(), [](Region &region) {
    return llvm::any_of(region.getOps(),
                        [](Operation &inner) { return hasHostEffect(&inner); });
  });
}

/// Makes the host wait for pending checks at the end, and before ops that it
/// decides or executes itself.
void DeviceChecks::guardLaunches() {
  // Failures that are not known yet.
  SmallVector<Block *> pending;
  auto emitBranch = [&](OpBuilder &b, Location loc, bool isLast, Block *next,
                        ValueRange operands = {}) {
    Value status = await(b, loc, isLast);
    Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
    Value isOk =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, status, zero);
    cf::CondBranchOp::create(b, loc, isOk, next, operands,
                             makeDispatch(pending, loc), ValueRange(status));
  };
  for (Block *block = &kernel.getBody().front(); block;) {
    for (auto it = block->begin(); it != block->end(); ++it) {
      Operation *op = &*it;
      Location loc = op->getLoc();
      OpBuilder b(op);
      if (auto check = dyn_cast<cf::CondBranchOp>(op);
          check && !pending.empty()) {
        // The first check that failed gives the error message.
        Block *failure = check.getFalseDest();
        Block *first = b.createBlock(&kernel.getBody(), kernel.getBody().end());
        // The new block passes the arguments of the failure block.
        emitBranch(b, loc, /*isLast=*/false, failure,
                   check.getFalseDestOperands());
        check.getFalseDestOperandsMutable().clear();
        check.setSuccessor(first, 1);
        continue;
      }
      if (auto ret = dyn_cast<func::ReturnOp>(op); ret && !pending.empty()) {
        Block *last = block->splitBlock(op);
        b.setInsertionPointToEnd(block);
        emitBranch(b, loc, /*isLast=*/true, last);
        return;
      }
      if (op->hasTrait<OpTrait::IsTerminator>())
        break;
      if (!pending.empty() && (scalars.hasAccess(op) || hasHostEffect(op))) {
        Block *rest = block->splitBlock(op);
        b.setInsertionPointToEnd(block);
        emitBranch(b, loc, /*isLast=*/false, rest);
        pending.clear();
        block = rest;
        it = block->begin();
      }
      if (!pending.empty())
        op->walk([&](gpu::LaunchOp launch) {
          Block &body = launch.getBody().front();
          guard(body, body.begin());
        });
      if (auto found = checks.find(op); found != checks.end())
        llvm::append_range(pending, found->second);
    }
    block = getNext(block);
  }
}

unsigned DeviceChecks::run() {
  splitFailures();
  dropKnownChecks();
  demoteCarriedScalars(kernel, scalars);
  scalars.launchStores();
  SmallVector<cf::CondBranchOp> found;
  for (Block &block : kernel.getBody())
    if (auto check = dyn_cast<cf::CondBranchOp>(block.getTerminator()))
      found.push_back(check);
  for (cf::CondBranchOp check : found)
    if (canDefer(check))
      defer(check);
  mergeBlocks();
  scalars.decideByOneNumber();
  scalars.moveIntoLaunches();
  scalars.eraseUnused();
  joinLaunches();
  guardLaunches();
  return numChecks;
}

namespace {
struct DecideOnGPU : flywheel::impl::DecideOnGPUBase<DecideOnGPU> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<Manifest> manifest = Manifest::readFrom(module);
    if (failed(manifest))
      return signalPassFailure();
    for (const ManifestEntry &entry : manifest->entries) {
      auto kernel = module.lookupSymbol<func::FuncOp>(entry.name + ".kernel");
      if (kernel && !kernel->hasAttr("train.initializer"))
        numChecks += DeviceChecks(kernel, *manifest).run();
    }
  }
};
} // namespace
