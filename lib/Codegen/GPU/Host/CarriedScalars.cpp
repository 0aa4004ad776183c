//===- CarriedScalars.cpp - Numbers that loops of the host carry ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches of one thread can compute a number in a slot of the device: the host
// need not know it to start the next iteration. Before decisions that depend on
// such a number, the host loads it from the slot.
//
//===----------------------------------------------------------------------===//

#include "CarriedScalars.h"
#include "KernelBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel {
namespace {
/// The numbers of the host that depend on elements of the device.
class DeviceNumbers {
public:
  DeviceNumbers(func::FuncOp kernel, const HostScalars &scalars);

  bool contains(Value value) const { return numbers.contains(value); }

private:
  bool visit(Operation *op);
  /// Adds `values` if one of `from` is a number of the device; returns true if
  /// one of them is new.
  bool add(ValueRange from, ArrayRef<Value> values);
  bool visitLoop(scf::ForOp loop);
  bool visitLoop(scf::WhileOp loop);
  bool visitBranch(scf::IfOp branch);

  const HostScalars &scalars;
  llvm::DenseSet<Value> numbers;
};

/// Replaces numbers that ops yield by slots.
class SlotDemotion {
public:
  SlotDemotion(func::FuncOp kernel, const DeviceNumbers &numbers)
      : b(kernel.getContext()), kernel(kernel), numbers(numbers) {}

  void demote(scf::ForOp loop);
  void demote(scf::WhileOp loop);
  void demote(scf::IfOp branch);

private:
  Value makeSlot(Value value);
  void store(Value value, Value slot) {
    memref::StoreOp::create(b, value.getLoc(), value, slot);
  }
  /// Stores the number that `operand` passes to `slot`, before its op, and
  /// replaces the operand by a number that nothing uses.
  void storeBefore(OpOperand &operand, Value slot);
  void storeEarly(OpOperand &operand, Value slot);
  void ignore(OpOperand &operand);
  /// Loads `value` from `slot` instead.
  void replaceByLoad(Value value, Value slot);

  OpBuilder b;
  func::FuncOp kernel;
  const DeviceNumbers &numbers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Numbers that depend on the device
//===----------------------------------------------------------------------===//

DeviceNumbers::DeviceNumbers(func::FuncOp kernel, const HostScalars &scalars)
    : scalars(scalars) {
  // An iter_arg may depend on a later op of the body.
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::LaunchOp>(op))
        return WalkResult::skip();
      hasChanged |= visit(op);
      return WalkResult::advance();
    });
  }
}

bool DeviceNumbers::add(ValueRange from, ArrayRef<Value> values) {
  bool hasChanged = false;
  if (llvm::any_of(from, [&](Value value) { return contains(value); }))
    for (Value value : values)
      if (value.getType().isIntOrIndexOrFloat())
        hasChanged |= numbers.insert(value).second;
  return hasChanged;
}

bool DeviceNumbers::visitLoop(scf::ForOp loop) {
  bool hasChanged = false;
  for (auto [init, carried, yielded, result] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                       loop.getYieldedValues(), loop.getResults()))
    hasChanged |= add({init, carried, yielded}, {carried, result});
  return hasChanged;
}

bool DeviceNumbers::visitLoop(scf::WhileOp loop) {
  bool hasChanged = false;
  for (auto [init, carried, yielded] : llvm::zip_equal(
           loop.getInits(), loop.getBeforeArguments(), loop.getYieldedValues()))
    hasChanged |= add({init, yielded}, {carried});
  for (auto [passed, carried, result] :
       llvm::zip_equal(loop.getConditionOp().getArgs(),
                       loop.getAfterArguments(), loop.getResults()))
    hasChanged |= add(passed, {carried, result});
  return hasChanged;
}

bool DeviceNumbers::visitBranch(scf::IfOp branch) {
  bool hasChanged = false;
  for (auto [number, result] : llvm::enumerate(branch.getResults()))
    hasChanged |=
        add({branch.getCondition(), branch.thenYield().getOperand(number),
             branch.elseYield().getOperand(number)},
            {result});
  return hasChanged;
}

bool DeviceNumbers::visit(Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      .Case<scf::ForOp, scf::WhileOp>(
          [&](auto loop) { return visitLoop(loop); })
      .Case([&](scf::IfOp branch) { return visitBranch(branch); })
      .Default([&](Operation *op) {
        if (scalars.isLoad(op))
          return numbers.insert(op->getResult(0)).second;
        return op->getNumRegions() == 0 &&
               add(op->getOperands(),
                   llvm::to_vector_of<Value>(op->getResults()));
      });
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

Value SlotDemotion::makeSlot(Value value) {
  OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
  return memref::AllocaOp::create(top, value.getLoc(),
                                  MemRefType::get({}, value.getType()));
}

void SlotDemotion::replaceByLoad(Value value, Value slot) {
  // One load in each block that uses the value: if only a message names it, it
  // is loaded after the check has failed.
  llvm::DenseMap<Block *, Value> loads;
  Region *region = value.getParentRegion();
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    Block *block =
        region->findAncestorBlockInRegion(*use.getOwner()->getBlock());
    Value &load = loads[block];
    if (!load) {
      if (block == value.getParentBlock())
        b.setInsertionPointAfterValue(value);
      else
        b.setInsertionPointToStart(block);
      load = memref::LoadOp::create(b, value.getLoc(), slot);
    }
    use.set(load);
  }
}

void SlotDemotion::ignore(OpOperand &operand) {
  OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Type type = operand.get().getType();
  operand.set(arith::ConstantOp::create(top, operand.get().getLoc(),
                                        top.getZeroAttr(type)));
}

void SlotDemotion::storeBefore(OpOperand &operand, Value slot) {
  b.setInsertionPoint(operand.getOwner());
  store(operand.get(), slot);
  ignore(operand);
}

/// Returns the last of the ops in `block` that `values` are results of; null if
/// there is none.
static Operation *getLast(Block *block, ValueRange values) {
  Operation *last = nullptr;
  for (Value value : values)
    if (Operation *op = value.getDefiningOp();
        op && op->getBlock() == block && (!last || last->isBeforeInBlock(op)))
      last = op;
  return last;
}

/// Moves arithmetic in `block` that computes `values` right after its operands.
static void hoistArithmetic(Block *block, ValueRange values) {
  SmallVector<Operation *> pending;
  for (Value value : values)
    pending.push_back(value.getDefiningOp());
  llvm::SmallSetVector<Operation *, 8> slice;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!op || op->getBlock() != block || !isPure(op) ||
        op->getNumRegions() != 0 || !slice.insert(op))
      continue;
    for (Value operand : op->getOperands())
      pending.push_back(operand.getDefiningOp());
  }
  SmallVector<Operation *> ops(slice.begin(), slice.end());
  llvm::sort(ops, [](Operation *one, Operation *other) {
    return one->isBeforeInBlock(other);
  });
  for (Operation *op : ops) {
    if (Operation *last = getLast(block, op->getOperands()))
      op->moveAfter(last);
    else
      op->moveBefore(block, block->begin());
  }
}

/// Like `storeBefore` for the end of a body, but stores right after the ops
/// that compute the number, for example a check, whose launch can then store
/// it. By then all loads of the old value of the slot have been used.
void SlotDemotion::storeEarly(OpOperand &operand, Value slot) {
  Operation *end = operand.getOwner();
  Block *block = end->getBlock();
  Value value = operand.get();
  Operation *last = getLast(block, value);
  auto isBehind = [&](Operation *op) {
    return op && op != end && (!last || last->isBeforeInBlock(op));
  };
  for (Operation *access : slot.getUsers()) {
    if (access->getBlock() != block || !isa<memref::LoadOp>(access))
      continue;
    if (isBehind(access))
      last = access;
    for (Operation *user : access->getUsers())
      if (Operation *op = block->findAncestorOpInBlock(*user); isBehind(op))
        last = op;
  }
  if (last)
    b.setInsertionPointAfter(last);
  else
    b.setInsertionPointToStart(block);
  // A value that is yielded unchanged is in the slot already.
  auto load = value.getDefiningOp<memref::LoadOp>();
  if (!load || load.getMemref() != slot || load->getBlock() != block)
    store(value, slot);
  ignore(operand);
}

void SlotDemotion::demote(scf::ForOp loop) {
  hoistArithmetic(loop.getBody(), loop.getYieldedValues());
  for (auto [number, carried] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!numbers.contains(carried))
      continue;
    Value slot = makeSlot(carried);
    storeBefore(loop.getInitArgsMutable()[number], slot);
    replaceByLoad(carried, slot);
    storeEarly(loop.getYieldedValuesMutable().value()[number], slot);
    replaceByLoad(loop.getResult(number), slot);
  }
}

void SlotDemotion::demote(scf::WhileOp loop) {
  hoistArithmetic(loop.getAfterBody(), loop.getYieldedValues());
  llvm::DenseMap<Value, Value> slots;
  for (auto [number, carried] : llvm::enumerate(loop.getBeforeArguments())) {
    if (!numbers.contains(carried))
      continue;
    slots[carried] = makeSlot(carried);
    storeBefore(loop.getInitsMutable()[number], slots[carried]);
  }
  // A value that is passed to the body is in the slot of the `before` argument
  // that it is, or in a slot of its own.
  for (OpOperand &passed : loop.getConditionOp().getArgsMutable()) {
    unsigned number =
        passed.getOperandNumber() -
        loop.getConditionOp().getArgsMutable()[0].getOperandNumber();
    Value carried = loop.getAfterArguments()[number];
    if (!numbers.contains(carried))
      continue;
    Value slot = slots.lookup(passed.get());
    if (slot) {
      ignore(passed);
    } else {
      slot = makeSlot(carried);
      storeBefore(passed, slot);
    }
    replaceByLoad(carried, slot);
    replaceByLoad(loop.getResult(number), slot);
  }
  for (auto [number, carried] : llvm::enumerate(loop.getBeforeArguments())) {
    if (!numbers.contains(carried))
      continue;
    replaceByLoad(carried, slots[carried]);
    storeEarly(loop.getYieldOp().getResultsMutable()[number], slots[carried]);
  }
}

void SlotDemotion::demote(scf::IfOp branch) {
  for (auto [number, result] : llvm::enumerate(branch.getResults())) {
    if (!numbers.contains(result))
      continue;
    Value slot = makeSlot(result);
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
      storeEarly(yield.getResultsMutable()[number], slot);
    replaceByLoad(result, slot);
  }
}

//===----------------------------------------------------------------------===//
// Loops that checks would end
//===----------------------------------------------------------------------===//

/// Returns true if a check of the step tests `result` of a loop.
static bool isChecked(Value result) {
  return llvm::any_of(result.getUsers(), [&](Operation *user) {
    auto check = dyn_cast<cf::CondBranchOp>(user);
    return check && check.getCondition() == result &&
           getFailureStatus(check.getFalseDest()) > 0;
  });
}

/// Collects the terms of the conjunction `condition`.
static void collectTerms(Value condition, SmallVectorImpl<Value> &terms) {
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return terms.push_back(condition);
  collectTerms(both.getLhs(), terms);
  collectTerms(both.getRhs(), terms);
}

/// If the number of iterations depends on nothing but numbers that the host
/// knows, and on checks that end the loop, removes the dependence on the
/// checks: if one fails, the step fails whatever the other iterations compute.
static void ignoreChecks(scf::WhileOp loop, const DeviceNumbers &numbers) {
  scf::ConditionOp condition = loop.getConditionOp();
  SmallVector<Value> terms, known;
  collectTerms(condition.getCondition(), terms);
  for (Value term : terms) {
    if (!numbers.contains(term)) {
      known.push_back(term);
      continue;
    }
    auto passed = llvm::find(condition.getArgs(), term);
    if (passed == condition.getArgs().end() ||
        !isChecked(loop.getResult(passed.getIndex())))
      return;
  }
  if (known.size() == terms.size() || known.empty())
    return;
  OpBuilder b(condition);
  Value goesOn = known.front();
  for (Value term : ArrayRef(known).drop_front())
    goesOn = arith::AndIOp::create(b, condition.getLoc(), goesOn, term);
  condition.getConditionMutable().assign(goesOn);
}

void demoteCarriedScalars(func::FuncOp kernel, const HostScalars &scalars) {
  DeviceNumbers numbers(kernel, scalars);
  SlotDemotion slots(kernel, numbers);
  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A computation of numbers alone is in one launch as it is.
    if (isa<gpu::LaunchOp>(op) || scalars.isComputation(op))
      return WalkResult::skip();
    bool launches = op->walk([](gpu::LaunchOp) {
                        return WalkResult::interrupt();
                      }).wasInterrupted();
    if (launches && isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      ops.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : ops)
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      ignoreChecks(loop, numbers);
  for (Operation *op : ops)
    TypeSwitch<Operation *>(op).Case<scf::ForOp, scf::IfOp, scf::WhileOp>(
        [&](auto typed) { slots.demote(typed); });
}

} // namespace flywheel
