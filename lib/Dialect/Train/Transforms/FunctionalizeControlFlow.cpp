//===- FunctionalizeControlFlow.cpp - Variables in branches and loops -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forwards versions of variables through ops with regions, for
// train-functionalize-state.
//
//===----------------------------------------------------------------------===//

#include "FunctionState.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::train;

/// Returns the variables that `op` or an op in its regions assigns, in module
/// order.
SmallVector<Attribute> FunctionState::findWritten(Operation *op) {
  llvm::SmallSetVector<Attribute, 4> assigned;
  op->walk([&](Operation *nested) {
    Attribute variable = getAssigned(nested);
    if (variable && variables.contains(variable))
      assigned.insert(variable);
  });
  SmallVector<Attribute> written = assigned.takeVector();
  llvm::sort(written, [&](Attribute a, Attribute b) {
    return variables.find(a) < variables.find(b);
  });
  return written;
}

/// Rewrites the only block of `region`. Its terminator yields the versions of
/// the variables `written`, before its other operands.
LogicalResult FunctionState::rewriteRegion(Region &region,
                                           ArrayRef<Attribute> written) {
  if (failed(rewriteBlock(region.front())))
    return failure();
  Operation *terminator = region.front().getTerminator();
  SmallVector<Value> versions;
  for (Attribute variable : written)
    versions.push_back(variables.find(variable)->second.current);
  unsigned first = isa<scf::ConditionOp>(terminator) ? 1 : 0;
  terminator->insertOperands(first, versions);
  return success();
}

/// Marks the variables that a loop writes as read: the loop may have no
/// iterations, and they then keep their values. A function that initialises
/// variables has its own list of them.
void FunctionState::enterLoop(ArrayRef<Attribute> written) {
  if (function->hasAttr(TrainDialect::getInitializerAttrName()))
    return;
  for (Attribute variable : written) {
    VariableVersions &versions = variables.find(variable)->second;
    if (versions.current == versions.storage)
      versions.isRead = true;
  }
}

/// Replaces `op` by an op with an additional result for each of `written` and,
/// if it is a loop, the current versions as additional inits. They come first:
/// the two lists of a while loop only agree from the front.
Operation *FunctionState::addCarried(Operation *op,
                                     ArrayRef<Attribute> written) {
  builder.setInsertionPoint(op);
  OperationState state(op->getLoc(), op->getName());
  for (Attribute variable : written)
    state.addTypes(variables.find(variable)->second.current.getType());
  state.addTypes(op->getResultTypes());
  state.addOperands(op->getOperands());
  state.addAttributes(op->getAttrs());
  if (isa<LoopLikeOpInterface>(op)) {
    SmallVector<Value> versions;
    for (Attribute variable : written)
      versions.push_back(variables.find(variable)->second.current);
    unsigned first = isa<scf::ForOp>(op) ? 3 : 0;
    state.operands.insert(state.operands.begin() + first, versions.begin(),
                          versions.end());
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
    versions.current = region.insertArgument(
        numIndices + i, versions.current.getType(), versions.current.getLoc());
  }
}

/// Makes the first results of `op` the current versions.
void FunctionState::leave(Operation *op, ArrayRef<Attribute> written) {
  for (auto [variable, result] : llvm::zip(written, op->getResults()))
    variables.find(variable)->second.current = result;
}

/// Returns true if `version`, the current one of `variable`, is not a value of
/// its own: it is a feed, a constant or a version of another variable that was
/// assigned.
bool FunctionState::isShared(Attribute variable, Value version) {
  auto argument = dyn_cast<BlockArgument>(version);
  if (argument && argument.getOwner()->getParentOp() == function)
    return version != variables.find(variable)->second.storage;
  return matchPattern(version, m_Constant()) ||
         llvm::any_of(variables, [&](auto &other) {
           return other.first != variable && other.second.current == version;
         });
}

/// Stores the versions that a branch yields, by its terminator `yield`, but has
/// not computed: in place of the versions `before`, or in a tensor of their
/// own. They are copied when that branch runs, and not selected element by
/// element.
void FunctionState::storeOutside(Operation *yield, const PathVersions &before) {
  builder.setInsertionPoint(yield);
  for (auto [number, entry] : llvm::enumerate(before)) {
    Value version = yield->getOperand(number);
    if (version == entry.second ||
        yield->getParentRegion()->isAncestor(version.getParentRegion()))
      continue;
    Location loc =
        variables.find(entry.first)->second.assigned.value_or(version.getLoc());
    Value place = entry.second;
    if (isShared(entry.first, place))
      place = tensor::EmptyOp::create(
          builder, loc, tensor::getMixedSizes(builder, loc, place),
          getElementTypeOrSelf(place));
    auto store = linalg_ext::StoreOp::create(builder, loc, version, place);
    yield->setOperand(number, store);
  }
}

LogicalResult FunctionState::rewriteIf(scf::IfOp op,
                                       ArrayRef<Attribute> written) {
  PathVersions before;
  for (Attribute variable : written)
    before[variable] = variables.find(variable)->second.current;
  auto branch = cast<scf::IfOp>(addCarried(op, written));
  if (branch.getElseRegion().empty()) {
    builder.createBlock(&branch.getElseRegion());
    scf::YieldOp::create(builder, branch.getLoc());
  }
  // A function that initialises variables says itself which ones.
  bool keeps = !function->hasAttr(TrainDialect::getInitializerAttrName());
  for (Region &region : branch->getRegions()) {
    for (auto &[variable, version] : before)
      variables.find(variable)->second.current = version;
    if (failed(rewriteRegion(region, written)))
      return failure();
    storeOutside(region.front().getTerminator(), before);
    for (auto &[variable, version] : before) {
      VariableVersions &versions = variables.find(variable)->second;
      if (keeps && versions.current == versions.storage)
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
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return rewriteIf(branch, written);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return rewriteFor(loop, written);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return rewriteWhile(loop, written);
  Operation *assignment = nullptr;
  op->walk([&](Operation *nested) {
    if (!assignment && getAssigned(nested))
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
