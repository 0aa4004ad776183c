//===- StateVersions.cpp - Values that live in one storage ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/State/StateVersions.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Model/StatusMessage.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace flywheel;

using flywheel::train::FunctionArgument;
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

bool flywheel::isStateVersion(Value value) {
  while (auto store = value.getDefiningOp<linalg_ext::StoreOp>())
    value = store.getDestination();
  if (!isa<BlockArgument>(value))
    return false;
  std::optional<FunctionArgument> argument = FunctionArgument::get(value);
  return !argument || argument->isWritten();
}

bool flywheel::isBranch(Operation *op) {
  return isa<RegionBranchOpInterface>(op) && !isa<LoopLikeOpInterface>(op) &&
         llvm::all_of(op->getRegions(), [&](Region &region) {
           return region.hasOneBlock() &&
                  region.front().getTerminator()->getNumOperands() ==
                      op->getNumResults();
         });
}

SmallVector<OpOperand *> flywheel::getYields(Operation *branch,
                                             unsigned result) {
  SmallVector<OpOperand *> yields;
  for (Region &region : branch->getRegions())
    yields.push_back(&region.front().getTerminator()->getOpOperand(result));
  return yields;
}

/// Returns the latest value outside of the region around `yield` that the
/// operand of `yield` overwrites; null if it overwrites none.
static Value getOverwrittenOutside(OpOperand &yield) {
  Region *region = yield.getOwner()->getParentRegion();
  Value value = yield.get();
  while (value && region->isAncestor(value.getParentRegion()))
    value = getOverwritten(value);
  return value;
}

/// Returns the number of the carried value that result number `result` of
/// `loop` overwrites. The two lists of a while loop are independent.
static std::optional<unsigned> getCarried(LoopLikeOpInterface loop,
                                          unsigned result) {
  auto whileLoop = dyn_cast<scf::WhileOp>(loop.getOperation());
  if (!whileLoop)
    return result < loop.getRegionIterArgs().size()
               ? std::optional<unsigned>(result)
               : std::nullopt;
  Value value = whileLoop.getConditionOp().getArgs()[result];
  while (Value overwritten = getOverwritten(value))
    value = overwritten;
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != whileLoop.getBeforeBody())
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
  // The result of a loop overwrites the init that the loop started from.
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    std::optional<unsigned> carried = getCarried(loop, number);
    return carried ? loop.getInits()[*carried] : Value();
  }
  if (!isBranch(op))
    return {};
  SmallVector<OpOperand *> yields = getYields(op, number);
  Value first = getOverwrittenOutside(*yields.front());
  return llvm::all_of(ArrayRef(yields).drop_front(),
                      [&](OpOperand *other) {
                        return getOverwrittenOutside(*other) == first;
                      })
             ? first
             : Value();
}

bool flywheel::isInPlaceOf(Value value, Value earlier) {
  while (value && value != earlier)
    value = getOverwritten(value);
  return static_cast<bool>(value);
}

SmallVector<std::pair<Value, Value>>
flywheel::getRegionVersions(Operation *op, unsigned result) {
  SmallVector<std::pair<Value, Value>> versions;
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop) {
    for (OpOperand *yield : getYields(op, result))
      versions.push_back({getOverwrittenOutside(*yield), yield->get()});
    return versions;
  }
  std::optional<unsigned> carried = getCarried(loop, result);
  Value first = carried ? loop.getRegionIterArgs()[*carried] : BlockArgument();
  ValueRange yielded = loop.getYieldedValues();
  if (auto whileLoop = dyn_cast<scf::WhileOp>(op)) {
    versions.push_back({first, whileLoop.getConditionOp().getArgs()[result]});
    first = whileLoop.getAfterArguments()[result];
  }
  // The threads of a parallel loop combine parts, and yield nothing.
  if (carried)
    versions.push_back({first, yielded.empty() ? first : yielded[*carried]});
  return versions;
}

Value flywheel::copyVersion(OpBuilder &b, Location loc, Value value,
                            Attribute variable) {
  // Not into an empty tensor: another pass would replace it by the destination
  // of the copy.
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
  for (bool isOfResult : {true, false})
    for (BlockArgument storage : function.getArguments()) {
      FunctionArgument argument(function, storage.getArgNumber());
      // In another form of the function, there are fewer operands.
      if ((isOfResult ? argument.getResultNumber().has_value()
                      : argument.isWritten()) &&
          ret && next < ret.getNumOperands())
        visit(storage, ret.getOperand(next++));
    }
}

llvm::DenseSet<Operation *> flywheel::findChecked(Block &block) {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Operation *> ops;
  for (auto check : block.getOps<linalg_ext::CheckOp>())
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
  WalkResult checks = function.walk([&](linalg_ext::CheckOp check) {
    if (check->getParentOp() == function)
      return WalkResult::advance();
    check.emitError() << "expected a check (\""
                      << formatNumbers(check.getMessage())
                      << "\") at the top level of a function, where it comes "
                         "before every write, found one inside '"
                      << check->getParentOp()->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(checks.wasInterrupted());
}
