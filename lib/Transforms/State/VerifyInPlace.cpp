//===- VerifyInPlace.cpp - Prove that no step copies a variable -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferOrigins.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Transforms/State/StatePasses.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_VERIFYINPLACE
#include "flywheel/Transforms/State/StatePasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using flywheel::linalg_ext::LinalgExtDialect;
using flywheel::train::TrainDialect;

namespace {
struct VerifyInPlace : flywheel::impl::VerifyInPlaceBase<VerifyInPlace> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(verifyCopies()))
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
                           bool isAskedFor);
  LogicalResult verifyCopies();
};
} // namespace

LogicalResult VerifyInPlace::verifyCopy(Operation *copy, Value from, Value to,
                                        bool isAskedFor) {
  Value source = getRootBuffer(from), target = getRootBuffer(to);
  if (source == target)
    return success();
  StringRef variableName = TrainDialect::getVariableAttrName();
  Attribute sourceVariable = getAttr(source, variableName);
  // What the program assigns it may copy.
  bool isUpdated =
      getAttr(source, TrainDialect::getUpdatedAttrName()) != nullptr;
  if (sourceVariable && isUpdated && !isAskedFor && !isa<BlockArgument>(target))
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
    return getAttr(getRootBuffer(source), TrainDialect::getWritesAttrName()) !=
           nullptr;
  };
  getOperation().walk([&](memref::CopyOp copy) {
    // What is a part, or is put into one, is a copy by itself.
    if (getWholeBuffer(copy.getTarget()) == getRootBuffer(copy.getTarget()) &&
        getWholeBuffer(copy.getSource()) == getRootBuffer(copy.getSource()) &&
        failed(verifyCopy(copy, copy.getSource(), copy.getTarget(),
                          copy->hasAttr(LinalgExtDialect::getStoreAttrName()) ||
                              !isWritten(copy.getSource()))))
      result = failure();
  });
  // A structured copy of a part is a computation, such as a concatenation or a
  // panel of a product; a copy of the whole is allowed where it says why.
  getOperation().walk([&](linalg::CopyOp copy) {
    Value source = copy.getInputs()[0], target = copy.getOutputs()[0];
    if (getWholeBuffer(source) != getRootBuffer(source) ||
        getWholeBuffer(target) != getRootBuffer(target))
      return;
    bool isAskedFor = copy->hasAttr(TrainDialect::getSnapshotAttrName()) ||
                      !isWritten(source);
    if (failed(verifyCopy(copy, source, target, isAskedFor)))
      result = failure();
  });
  return result;
}
