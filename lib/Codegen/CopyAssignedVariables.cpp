//===- CopyAssignedVariables.cpp - Assignments of old values --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Codegen/CodegenPasses.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using bufferization::MaterializeInDestinationOp;

namespace flywheel {
#define GEN_PASS_DEF_COPYASSIGNEDVARIABLES
#include "flywheel/Codegen/CodegenPasses.h.inc"
} // namespace flywheel

using flywheel::train::TrainDialect;

namespace {
struct CopyAssignedVariables
    : flywheel::impl::CopyAssignedVariablesBase<CopyAssignedVariables> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
    function.walk([&](MaterializeInDestinationOp op) {
      auto argument = dyn_cast<BlockArgument>(op.getSource());
      if (!argument || argument.getOwner()->getParentOp() != function ||
          !function.getArgAttr(argument.getArgNumber(),
                               TrainDialect::getVariableAttrName()))
        return;
      // At the start, where the arguments are the old values.
      auto type = cast<RankedTensorType>(argument.getType());
      Value empty = tensor::EmptyOp::create(b, op.getLoc(), type.getShape(),
                                            type.getElementType());
      auto copy = linalg::CopyOp::create(b, op.getLoc(), argument, empty);
      op.getSourceMutable().assign(copy->getResult(0));
    });
  }
};
} // namespace
