//===- FunctionalizeControlFlow.cpp - Variables in branches and loops -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How train-functionalize-state passes versions of variables through ops with
// regions.
//
//===----------------------------------------------------------------------===//

#include "FunctionState.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace flywheel::train;

/// The variables that `op` or an op in its regions assigns, in module order.
SmallVector<Attribute> FunctionState::findWritten(Operation *op) {
  llvm::DenseSet<Attribute> assigned;
  op->walk([&](Operation *nested) {
    if (FlatSymbolRefAttr variable = getAssignedVariable(nested))
      assigned.insert(variable);
  });
  SmallVector<Attribute> written;
  for (auto &[symbol, versions] : variables)
    if (assigned.contains(symbol))
      written.push_back(symbol);
  return written;
}

Value FunctionState::materialize(Value value, Value destination, Location loc) {
  return bufferization::MaterializeInDestinationOp::create(
             builder, loc, destination.getType(), value, destination)
      .getResult();
}

/// Puts the current versions of the variables `written` into their storage,
/// where the values are that control flow passes on.
void FunctionState::store(ArrayRef<Attribute> written) {
  for (Attribute variable : written) {
    VariableVersions &versions = variables.find(variable)->second;
    if (versions.current != versions.stored)
      versions.setStored(
          materialize(versions.current, versions.stored, *versions.assigned));
  }
}

/// Rewrites the only block of `region`; its terminator passes on the versions
/// of the variables `written`, in front of what it passes on already.
LogicalResult FunctionState::rewriteRegion(Region &region,
                                           ArrayRef<Attribute> written) {
  if (failed(rewriteBlock(region.front())))
    return failure();
  Operation *terminator = region.front().getTerminator();
  builder.setInsertionPoint(terminator);
  store(written);
  SmallVector<Value> stored;
  for (Attribute variable : written)
    stored.push_back(variables.find(variable)->second.stored);
  unsigned first = isa<scf::ConditionOp>(terminator) ? 1 : 0;
  terminator->insertOperands(first, stored);
  return success();
}

/// A loop may run no iteration: what it writes keeps its value then.
void FunctionState::enterLoop(ArrayRef<Attribute> written) {
  for (Attribute variable : written) {
    VariableVersions &versions = variables.find(variable)->second;
    if (versions.stored == versions.storage)
      versions.isRead = true;
  }
}

/// Replaces `op` by one with a further result for each of `written` and, if it
/// is a loop, the stored versions as further initial values. They come first:
/// what a while loop passes on is two lists, which agree from the front only.
Operation *FunctionState::addCarried(Operation *op,
                                     ArrayRef<Attribute> written) {
  builder.setInsertionPoint(op);
  OperationState state(op->getLoc(), op->getName());
  for (Attribute variable : written)
    state.addTypes(variables.find(variable)->second.stored.getType());
  state.addTypes(op->getResultTypes());
  state.addOperands(op->getOperands());
  state.addAttributes(op->getAttrs());
  if (isa<LoopLikeOpInterface>(op)) {
    SmallVector<Value> stored;
    for (Attribute variable : written)
      stored.push_back(variables.find(variable)->second.stored);
    unsigned first = isa<scf::ForOp>(op) ? 3 : 0;
    state.operands.insert(state.operands.begin() + first, stored.begin(),
                          stored.end());
  }
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *carrying = builder.create(state);
  op->replaceAllUsesWith(carrying->getResults().drop_front(written.size()));
  op->erase();
  return carrying;
}

/// Makes the versions that `region` begins with arguments, after the first
/// `numIndices`.
void FunctionState::enterIteration(Region &region, unsigned numIndices,
                                   ArrayRef<Attribute> written) {
  for (auto [i, variable] : llvm::enumerate(written)) {
    VariableVersions &versions = variables.find(variable)->second;
    versions.setStored(region.insertArgument(
        numIndices + i, versions.stored.getType(), versions.stored.getLoc()));
  }
}

/// The versions after `op` are its first results.
void FunctionState::leave(Operation *op, ArrayRef<Attribute> written) {
  for (auto [variable, result] : llvm::zip(written, op->getResults()))
    variables.find(variable)->second.setStored(result);
}

LogicalResult FunctionState::rewriteIf(scf::IfOp op,
                                       ArrayRef<Attribute> written) {
  PathVersions before;
  for (Attribute variable : written)
    before[variable] = variables.find(variable)->second.stored;
  auto branch = cast<scf::IfOp>(addCarried(op, written));
  if (branch.getElseRegion().empty()) {
    builder.createBlock(&branch.getElseRegion());
    scf::YieldOp::create(builder, branch.getLoc());
  }
  // A function that initialises variables says itself which ones.
  bool keeps = !function->hasAttr(TrainDialect::getInitializerAttrName());
  for (Region &region : branch->getRegions()) {
    for (auto &[variable, version] : before)
      variables.find(variable)->second.setStored(version);
    if (failed(rewriteRegion(region, written)))
      return failure();
    for (auto &[variable, version] : before) {
      VariableVersions &versions = variables.find(variable)->second;
      if (keeps && versions.stored == versions.storage)
        versions.isRead = true;
    }
  }
  leave(branch, written);
  return success();
}

LogicalResult FunctionState::rewriteFor(scf::ForOp op,
                                        ArrayRef<Attribute> written) {
  enterLoop(written);
  auto loop = cast<scf::ForOp>(addCarried(op, written));
  enterIteration(loop.getRegion(), 1, written);
  if (failed(rewriteRegion(loop.getRegion(), written)))
    return failure();
  leave(loop, written);
  return success();
}

LogicalResult FunctionState::rewriteWhile(scf::WhileOp op,
                                          ArrayRef<Attribute> written) {
  enterLoop(written);
  auto loop = cast<scf::WhileOp>(addCarried(op, written));
  for (Region &region : loop->getRegions()) {
    enterIteration(region, 0, written);
    if (failed(rewriteRegion(region, written)))
      return failure();
  }
  leave(loop, written);
  return success();
}

/// Rewrites an op with regions, which may run never, once or often.
LogicalResult FunctionState::rewriteRegions(Operation *op) {
  SmallVector<Attribute> written = findWritten(op);
  if (written.empty()) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(rewriteBlock(block)))
          return failure();
    return success();
  }
  builder.setInsertionPoint(op);
  store(written);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return rewriteIf(branch, written);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return rewriteFor(loop, written);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return rewriteWhile(loop, written);
  Operation *assignment = nullptr;
  op->walk([&](Operation *nested) {
    if (!assignment && getAssignedVariable(nested))
      assignment = nested;
  });
  return assignment->emitOpError()
         << "expected at the top level of a function, or in an 'scf.if', "
            "'scf.for' or 'scf.while', found inside '"
         << op->getName() << "'";
}

/// Rewrites the ops of `block` in program order, from the current versions.
LogicalResult FunctionState::rewriteBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(op.getNumRegions() ? rewriteRegions(&op) : rewriteAccess(&op)))
      return failure();
  return success();
}
