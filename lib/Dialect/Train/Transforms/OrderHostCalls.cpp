//===- OrderHostCalls.cpp - The train-order-host-calls pass ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The status is a variable while the pass runs: branches and loops yield it as
// they yield variables.
//
//===----------------------------------------------------------------------===//

#include "DeclareVariable.h"
#include "PromoteStateToIterArgs.h"
#include "VariableAccess.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_ORDERHOSTCALLS
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

namespace {
/// Rewrites the calls of one function.
class CallOrderer {
public:
  CallOrderer(func::FuncOp function, VariableOp status)
      : function(function), b(function.getContext()),
        symbol(FlatSymbolRefAttr::get(status.getSymNameAttr())),
        statusType(status.getTensorType()) {}

  LogicalResult run(ArrayRef<HostCallOp> calls);

private:
  void endLoops(ArrayRef<HostCallOp> calls);
  void rewrite(HostCallOp call, int64_t number);
  LogicalResult forwardStatus();
  Value readStatus(Location loc);
  Value emitIsSound(Location loc, Value status);
  Value toElements(Location loc, Value value);
  Value fromElements(Location loc, Value value, Type type);

  func::FuncOp function;
  OpBuilder b;
  FlatSymbolRefAttr symbol;
  RankedTensorType statusType;
};
} // namespace

Value CallOrderer::readStatus(Location loc) {
  return ReadOp::create(b, loc, statusType, symbol);
}

Value CallOrderer::emitIsSound(Location loc, Value status) {
  Value number = tensor::ExtractOp::create(b, loc, status, ValueRange());
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number, zero);
}

/// Returns the type of the elements that the host sees: those of one bit are
/// bytes.
static RankedTensorType getHostType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto integer = dyn_cast<IntegerType>(tensor.getElementType());
  if (!integer)
    return tensor;
  return tensor.clone(
      IntegerType::get(type.getContext(), std::max(8u, integer.getWidth())));
}

/// Converts `value` to elements as the host sees them.
Value CallOrderer::toElements(Location loc, Value value) {
  RankedTensorType type = getHostType(value.getType());
  if (type == value.getType())
    return value;
  if (getElementTypeOrSelf(value).isInteger(1))
    return arith::ExtUIOp::create(b, loc, type, value);
  return tensor::BitcastOp::create(b, loc, type, value);
}

/// Returns a tensor of `type` that the host has written.
Value CallOrderer::fromElements(Location loc, Value value, Type type) {
  if (type == value.getType())
    return value;
  if (!getElementTypeOrSelf(type).isInteger(1))
    return tensor::BitcastOp::create(b, loc, type, value);
  Value zeros = arith::ConstantOp::create(
      b, loc, b.getZeroAttr(cast<ShapedType>(value.getType())));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zeros);
}

void CallOrderer::rewrite(HostCallOp call, int64_t number) {
  Location loc = call.getLoc();
  b.setInsertionPoint(call);
  SmallVector<Value> inputs, outputs;
  for (Value input : call.getInputs())
    inputs.push_back(toElements(loc, input));
  SmallVector<Type> types = {statusType};
  for (Type type : call.getResultTypes()) {
    RankedTensorType hostType = getHostType(type);
    types.push_back(hostType);
    outputs.push_back(tensor::EmptyOp::create(b, loc, hostType.getShape(),
                                              hostType.getElementType()));
  }
  auto ordered = linalg_ext::HostCallOp::create(
      b, loc, types, call.getKindAttr(), call.getSiteAttr(),
      b.getI64IntegerAttr(number), inputs, readStatus(loc), outputs);
  AssignOp::create(b, loc, statusType, symbol, ordered.getResult(0));
  for (auto [old, result] :
       llvm::zip_equal(call.getResults(), ordered.getResults().drop_front()))
    old.replaceAllUsesWith(fromElements(loc, result, old.getType()));
  call.erase();
}

/// Ends loops after a failed call, if their conditions may depend on the
/// results of calls: a failed call returns zeros.
void CallOrderer::endLoops(ArrayRef<HostCallOp> calls) {
  llvm::SetVector<Operation *> loops;
  for (HostCallOp call : calls)
    if (call.getNumResults() != 0)
      for (auto loop = call->getParentOfType<scf::WhileOp>(); loop;
           loop = loop->getParentOfType<scf::WhileOp>())
        loops.insert(loop);
  for (Operation *op : loops) {
    scf::ConditionOp end = cast<scf::WhileOp>(op).getConditionOp();
    b.setInsertionPoint(end);
    Location loc = end.getLoc();
    Value isSound = emitIsSound(loc, readStatus(loc));
    end.getConditionMutable().assign(
        arith::AndIOp::create(b, loc, end.getCondition(), isSound));
  }
}

/// Replaces the remaining accesses to the variable, at the top of the function,
/// by values, and checks the last one.
LogicalResult CallOrderer::forwardStatus() {
  Block &entry = function.getBody().front();
  b.setInsertionPointToStart(&entry);
  Value status = arith::ConstantOp::create(
      b, function.getLoc(), b.getZeroAttr(cast<ShapedType>(statusType)));
  Location last = function.getLoc();
  for (Operation &op : llvm::make_early_inc_range(entry)) {
    if (getAssignedVariable(&op) == symbol) {
      status = op.getOperand(0);
      last = op.getLoc();
      op.erase();
    } else if (getReadVariable(&op) == symbol) {
      op.getResult(0).replaceAllUsesWith(status);
      op.erase();
    }
  }
  WalkResult found = function.walk([&](Operation *op) {
    return getAccessedVariable(op) == symbol ? WalkResult(op->emitError())
                                             : WalkResult::advance();
  });
  if (found.wasInterrupted())
    return failure();
  b.setInsertionPoint(entry.getTerminator());
  linalg_ext::CheckOp::create(
      b, last, linalg_ext::CheckKind::data, emitIsSound(last, status),
      b.getStringAttr(
          "expected a function of the host that returns: it has failed, or the "
          "program that runs the step has none"));
  return success();
}

LogicalResult CallOrderer::run(ArrayRef<HostCallOp> calls) {
  for (HostCallOp call : calls)
    for (Operation *parent = call->getParentOp(); parent != function;
         parent = parent->getParentOp())
      if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(parent))
        return call.emitOpError()
               << "is not supported inside of '" << parent->getName()
               << "': expected branches and loops of scf around it";
  HostCallOp first = calls.front();
  if (!function.getBody().hasOneBlock())
    return first.emitOpError()
           << "expected a function of one block: use structured control flow";
  endLoops(calls);
  for (auto [number, call] : llvm::enumerate(calls))
    rewrite(call, static_cast<int64_t>(number));
  carryState(function, /*targets=*/{}, symbol);
  return forwardStatus();
}

namespace {
struct OrderHostCalls : impl::OrderHostCallsBase<OrderHostCalls> {
  using OrderHostCallsBase::OrderHostCallsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<HostCallOp> calls;
      function.walk([&](HostCallOp call) { calls.push_back(call); });
      if (calls.empty())
        continue;
      if (forObject || !device.empty()) {
        InFlightDiagnostic error = calls.front().emitOpError()
                                   << "of kind '" << calls.front().getKind()
                                   << "' is not supported ";
        if (forObject)
          error << "in an object file, which has no functions of the host: "
                   "expected a step without it";
        else
          error << "on the device '" << device.getValue()
                << "': expected the target cpu";
        return signalPassFailure();
      }
      auto type =
          RankedTensorType::get({}, IntegerType::get(&getContext(), 32));
      VariableOp status =
          declareVariable(getOperation(), function.getLoc(), "host_status",
                          type, Builder(&getContext()).getZeroAttr(type));
      LogicalResult ordered = CallOrderer(function, status).run(calls);
      status.erase();
      if (failed(ordered))
        return signalPassFailure();
    }
  }
};
} // namespace
} // namespace flywheel::train
