//===- HoistScalars.cpp - Read scalar operands once -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Transforms/Fusion/FusionPasses.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;

namespace flywheel {
#define GEN_PASS_DEF_HOISTSCALARS
#include "flywheel/Transforms/Fusion/FusionPasses.h.inc"
} // namespace flywheel

namespace {
struct HoistScalars : flywheel::impl::HoistScalarsBase<HoistScalars> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics() && op.getNumLoops() > 0)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops)
      hoist(rewriter, op);
  }

private:
  /// Replaces `op` by one that captures its rank-0 inputs as scalars.
  void hoist(RewriterBase &rewriter, linalg::GenericOp op) {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    SmallVector<OpOperand *> scalars;
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto type = dyn_cast<RankedTensorType>(input->get().getType());
      if (type && type.getRank() == 0) {
        scalars.push_back(input);
        continue;
      }
      inputs.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input));
    }
    // If all inputs are scalars, only the maps of the destinations determine
    // the shape of the result.
    if (scalars.empty())
      return;
    for (OpOperand &init : op.getDpsInitsMutable())
      maps.push_back(op.getMatchingIndexingMap(&init));

    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    auto hoisted = linalg::GenericOp::create(
        rewriter, loc, op->getResultTypes(), inputs, op.getOutputs(), maps,
        op.getIteratorTypesArray());
    Block *oldBody = op.getBody();
    Block *body = rewriter.createBlock(&hoisted.getRegion());
    SmallVector<Value> replacements;
    for (BlockArgument argument : oldBody->getArguments()) {
      OpOperand &operand = op->getOpOperand(argument.getArgNumber());
      if (!llvm::is_contained(scalars, &operand)) {
        replacements.push_back(body->addArgument(argument.getType(), loc));
        continue;
      }
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(hoisted);
      replacements.push_back(
          tensor::ExtractOp::create(rewriter, loc, operand.get()));
    }
    rewriter.mergeBlocks(oldBody, body, replacements);
    if (codegen::ScheduleAttrInterface schedule = codegen::getSchedule(op))
      codegen::setSchedule(hoisted, schedule);
    rewriter.replaceOp(op, hoisted->getResults());
  }
};
} // namespace
