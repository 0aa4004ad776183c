//===- VerifyInPlace.cpp - Prove that no step copies a variable -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_VERIFYINPLACE
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

using flywheel::train::TrainDialect;

/// The buffer that `buffer` is a view of.
static Value getRoot(Value buffer) {
  while (true) {
    if (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    else
      return buffer;
  }
}

/// As `getRoot`, through casts only: the whole buffer.
static Value getWhole(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer;
}

namespace {
struct VerifyInPlace : flywheel::impl::VerifyInPlaceBase<VerifyInPlace> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(verifyCopies()) || failed(verifyReturned()))
      signalPassFailure();
  }

private:
  /// The attribute of the argument that `value` is, or null.
  Attribute getAttr(Value value, StringRef name) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner()->getParentOp() != getOperation())
      return {};
    return getOperation().getArgAttr(argument.getArgNumber(), name);
  }

  /// Reports a copy of a variable, unless it is known to be needed.
  LogicalResult verifyCopy(Operation *copy, Value from, Value to,
                           bool isSnapshot);
  LogicalResult verifyCopies();
  LogicalResult verifyReturned();
};
} // namespace

LogicalResult VerifyInPlace::verifyCopy(Operation *copy, Value from, Value to,
                                        bool isSnapshot) {
  Value source = getRoot(from), target = getRoot(to);
  if (source == target)
    return success();
  StringRef variableName = TrainDialect::getVariableAttrName();
  Attribute sourceVariable = getAttr(source, variableName);
  if (sourceVariable && !isSnapshot && !isa<BlockArgument>(target))
    return copy->emitError()
           << "this step copies variable " << sourceVariable
           << ": expected its old value to be read before it is overwritten, "
              "found a copy of "
           << from.getType();
  // One variable assigned to another is a copy by itself.
  Attribute targetVariable = getAttr(target, variableName);
  if (targetVariable && !sourceVariable &&
      getAttr(target, TrainDialect::getUpdatedAttrName()))
    return copy->emitError()
           << "this step copies a new value into variable " << targetVariable
           << ": expected the update to write in place";
  return success();
}

LogicalResult VerifyInPlace::verifyCopies() {
  LogicalResult result = success();
  auto isWritten = [&](Value source) {
    return getAttr(getRoot(source), TrainDialect::getWritesAttrName()) !=
           nullptr;
  };
  getOperation().walk([&](memref::CopyOp copy) {
    // What is put into a part of another tensor is a copy by itself.
    if (getWhole(copy.getTarget()) == getRoot(copy.getTarget()) &&
        failed(verifyCopy(copy, copy.getSource(), copy.getTarget(),
                          !isWritten(copy.getSource()))))
      result = failure();
  });
  // A structured copy of a part is a computation, such as a concatenation or a
  // panel of a product; a copy of the whole is allowed where it says why.
  getOperation().walk([&](linalg::CopyOp copy) {
    Value source = copy.getInputs()[0], target = copy.getOutputs()[0];
    if (getWhole(source) != getRoot(source) ||
        getWhole(target) != getRoot(target))
      return;
    bool isSnapshot = copy->hasAttr(TrainDialect::getSnapshotAttrName()) ||
                      !isWritten(source);
    if (failed(verifyCopy(copy, source, target, isSnapshot)))
      result = failure();
  });
  return result;
}

LogicalResult VerifyInPlace::verifyReturned() {
  func::FuncOp function = getOperation();
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "expected one block, found several";
  // The arguments that the returned buffers have to be, in order.
  SmallVector<BlockArgument> expected;
  for (StringRef name :
       {TrainDialect::getResultAttrName(), TrainDialect::getWritesAttrName()})
    for (BlockArgument argument : function.getArguments())
      if (getAttr(argument, name))
        expected.push_back(argument);
  auto ret =
      dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
  if (!ret)
    return function.emitError() << "expected a function that returns";
  if (ret.getNumOperands() != expected.size())
    return ret.emitError() << "expected " << expected.size()
                           << " returned buffers, found "
                           << ret.getNumOperands();
  for (auto [value, argument] : llvm::zip(ret.getOperands(), expected)) {
    if (getWhole(value) == argument)
      continue;
    Operation *producer = value.getDefiningOp();
    InFlightDiagnostic error =
        emitError(producer ? producer->getLoc() : ret.getLoc());
    if (Attribute variable =
            getAttr(argument, TrainDialect::getVariableAttrName()))
      error << "variable " << variable << " is not updated in place";
    else if (auto result = dyn_cast_or_null<IntegerAttr>(
                 getAttr(argument, TrainDialect::getResultAttrName())))
      error << "result " << result.getInt()
            << " is not written to its destination";
    else
      error << "what is returned is not in its place";
    return error << ": expected the buffer of argument "
                 << argument.getArgNumber() << ", found another";
  }
  ret->setOperands({});
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             function.getArgumentTypes(), {}));
  return success();
}
