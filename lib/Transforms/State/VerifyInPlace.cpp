//===- VerifyInPlace.cpp - Prove that no step copies a variable -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Analysis/BufferAccesses.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Transforms/State/StatePasses.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_VERIFYINPLACE
#include "flywheel/Transforms/State/StatePasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using flywheel::codegen::CodegenDialect;
using flywheel::linalg_ext::LinalgExtDialect;
using flywheel::train::FunctionArgument;
using flywheel::train::TrainDialect;

namespace {
struct VerifyInPlace : flywheel::impl::VerifyInPlaceBase<VerifyInPlace> {
  void runOnOperation() override {
    LogicalResult result = success();
    getOperation().walk([&](Operation *op) {
      if (isa<memref::CopyOp, linalg::CopyOp>(op) && failed(verifyCopy(op)))
        result = failure();
    });
    if (failed(result))
      signalPassFailure();
  }

private:
  /// Reports a copy of a variable, unless it is known to be needed.
  LogicalResult verifyCopy(Operation *copy);
};
} // namespace

LogicalResult VerifyInPlace::verifyCopy(Operation *copy) {
  Value from = copy->getOperand(0), to = copy->getOperand(1);
  Value source = getViewed<memref::CastOp>(from),
        target = getViewed<memref::CastOp>(to);
  // A copy of a part, or into one, is a computation by itself, such as a
  // concatenation or a panel of a product.
  if (source == target || source.getDefiningOp<ViewLikeOpInterface>() ||
      target.getDefiningOp<ViewLikeOpInterface>())
    return success();
  std::optional<FunctionArgument> ofSource = FunctionArgument::get(source),
                                  ofTarget = FunctionArgument::get(target);
  // Assignments of the program, snapshots of the order and panels may copy.
  bool isAskedFor = copy->hasAttr(LinalgExtDialect::getAssignedAttrName()) ||
                    copy->hasAttr(TrainDialect::getSnapshotAttrName()) ||
                    copy->hasAttr(CodegenDialect::getPanelAttrName());
  Attribute sourceVariable = ofSource ? ofSource->getStorage() : Attribute(),
            targetVariable = ofTarget ? ofTarget->getStorage() : Attribute();
  if (sourceVariable && ofSource->isUpdated() && !isAskedFor &&
      !isa<BlockArgument>(target))
    return copy->emitError()
           << "this step copies variable " << sourceVariable
           << ": expected its old value to be read before it is overwritten, "
              "found a copy of "
           << from.getType();
  // One variable assigned to another is a copy by itself.
  if (targetVariable && !sourceVariable && ofTarget->isUpdated())
    return copy->emitError()
           << "this step copies a new value into variable " << targetVariable
           << ": expected the update to write in place";
  return success();
}
