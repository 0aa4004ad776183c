//===- Bufferization.cpp - linalg_ext ops on buffers ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In destination style: an op writes what it starts from, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace flywheel::linalg_ext;

namespace {
template <typename OpTy>
struct Model
    : bufferization::DstBufferizableOpInterfaceExternalModel<Model<OpTy>,
                                                             OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    // A gather and a scan overwrite all of their destination.
    return !isa<GatherOp, ScanOp>(op) ||
           !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    SmallVector<Value> buffers, results;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer =
          isa<TensorType>(operand.getType())
              ? getBuffer(rewriter, operand, options, state)
              : operand;
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    auto style = cast<DestinationStyleOpInterface>(op);
    for (OpOperand &init : style.getDpsInitsMutable())
      results.push_back(buffers[init.getOperandNumber()]);
    OperationState onBuffers(op->getLoc(), op->getName(), buffers, TypeRange{},
                             op->getAttrs());
    rewriter.setInsertionPoint(op);
    rewriter.create(onBuffers);
    bufferization::replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};
} // namespace

void flywheel::linalg_ext::registerBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LinalgExtDialect *) {
    GatherOp::attachInterface<Model<GatherOp>>(*context);
    ScatterOp::attachInterface<Model<ScatterOp>>(*context);
    ScanOp::attachInterface<Model<ScanOp>>(*context);
    CholeskyOp::attachInterface<Model<CholeskyOp>>(*context);
    TriangularSolveOp::attachInterface<Model<TriangularSolveOp>>(*context);
  });
}
