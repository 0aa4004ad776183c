//===- StateVersions.cpp - Values that live in one storage ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/State/StateVersions.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Target/StatusMessage.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace flywheel;

using flywheel::train::TrainDialect;

tensor::ExtractSliceOp flywheel::findPlace(tensor::InsertSliceOp insert) {
  Value value = insert.getSource();
  while (Value overwritten = getOverwritten(value))
    value = overwritten;
  auto place = value.getDefiningOp<tensor::ExtractSliceOp>();
  auto isSame = [](OpFoldResult a, OpFoldResult b) { return a == b; };
  return place && place.isSameAs(insert, isSame) ? place : nullptr;
}

bool flywheel::isView(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op);
}

Value flywheel::getRoot(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The latest value outside of `region` that `value` is in place of, or null.
static Value getOverwrittenOutside(Value value, Region &region) {
  while (value && region.isAncestor(value.getParentRegion()))
    value = getOverwritten(value);
  return value;
}

/// The number of the loop-carried value in place of which `loop` passes on its
/// result number `result`: the two lists of a while loop are independent.
static std::optional<unsigned> getWhileInit(scf::WhileOp loop,
                                            unsigned result) {
  Value value = loop.getConditionOp().getArgs()[result];
  while (Value overwritten = getOverwritten(value))
    value = overwritten;
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != loop.getBeforeBody())
    return std::nullopt;
  return argument.getArgNumber();
}

Value flywheel::getOverwritten(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto structured = dyn_cast<DestinationStyleOpInterface>(op))
    return structured.getTiedOpOperand(result)->get();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Value one = getOverwrittenOutside(branch.thenYield().getOperand(number),
                                      branch.getThenRegion());
    Value other = getOverwrittenOutside(branch.elseYield().getOperand(number),
                                        branch.getElseRegion());
    return one == other ? one : Value();
  }
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop)
    return {};
  auto whileLoop = dyn_cast<scf::WhileOp>(op);
  std::optional<unsigned> init = whileLoop ? getWhileInit(whileLoop, number)
                                           : std::optional<unsigned>(number);
  // What an iteration leaves is put where it found what it started from.
  return init ? loop.getInits()[*init] : Value();
}

bool flywheel::isInPlaceOf(Value value, Value earlier) {
  while (value && value != earlier)
    value = getOverwritten(value);
  return static_cast<bool>(value);
}

SmallVector<std::pair<Value, Value>>
flywheel::getRegionVersions(Operation *op, unsigned result) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    SmallVector<std::pair<Value, Value>> versions;
    for (Region &region : op->getRegions()) {
      Value last = region.front().getTerminator()->getOperand(result);
      versions.push_back({getOverwrittenOutside(last, region), last});
    }
    return versions;
  }
  auto loop = dyn_cast<scf::WhileOp>(op);
  if (!loop) {
    // The threads of a parallel loop combine parts, and yield nothing.
    auto carrying = cast<LoopLikeOpInterface>(op);
    Value first = carrying.getRegionIterArgs()[result];
    ValueRange yielded = carrying.getYieldedValues();
    return {{first, yielded.empty() ? first : yielded[result]}};
  }
  Value passed = loop.getConditionOp().getArgs()[result];
  std::optional<unsigned> carried = getWhileInit(loop, result);
  if (!carried)
    return {{Value(), passed}};
  return {{loop.getBeforeArguments()[*carried], passed},
          {loop.getAfterArguments()[result],
           loop.getYieldOp().getOperand(*carried)}};
}

Value flywheel::copyVersion(OpBuilder &b, Location loc, Value value,
                            Attribute variable) {
  // Not into an empty tensor, which would be replaced by where the copy goes.
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Value> sizes;
  for (OpFoldResult size : tensor::getMixedSizes(b, loc, value))
    if (auto dynamic = dyn_cast<Value>(size))
      sizes.push_back(dynamic);
  Value buffer = bufferization::AllocTensorOp::create(b, loc, type, sizes);
  auto copy = linalg::CopyOp::create(b, loc, value, buffer);
  if (variable)
    copy->setAttr(TrainDialect::getSnapshotAttrName(), variable);
  return copy.getResult(0);
}

void flywheel::forEachStorage(func::FuncOp function,
                              function_ref<void(BlockArgument, Value)> visit) {
  auto ret =
      dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
  unsigned next = 0;
  for (StringRef name :
       {TrainDialect::getResultAttrName(), TrainDialect::getWritesAttrName()})
    for (BlockArgument argument : function.getArguments())
      // In another form of the function, there are fewer operands.
      if (function.getArgAttr(argument.getArgNumber(), name) && ret &&
          next < ret.getNumOperands())
        visit(argument, ret.getOperand(next++));
}

llvm::DenseSet<Operation *> flywheel::findChecked(Block &block) {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Operation *> ops;
  for (auto check : block.getOps<cf::AssertOp>())
    ops.push_back(check);
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!needed.insert(op).second)
      continue;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          if (Operation *before = block.findAncestorOpInBlock(*producer))
            ops.push_back(before);
    });
  }
  return needed;
}

LogicalResult flywheel::verifyChecks(func::FuncOp function) {
  WalkResult checks = function.walk([&](cf::AssertOp check) {
    if (check->getParentOp() == function)
      return WalkResult::advance();
    check.emitError() << "expected a check (\"" << formatNumbers(check.getMsg())
                      << "\") at the top level of a function, where it comes "
                         "before every write, found one inside '"
                      << check->getParentOp()->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(checks.wasInterrupted());
}
