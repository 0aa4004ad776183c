//===- Bufferization.cpp - linalg_ext ops on buffers ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization in destination style: an op writes only its inits.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace flywheel::linalg_ext;

namespace {
template <typename OpTy>
struct Model
    : bufferization::DstBufferizableOpInterfaceExternalModel<Model<OpTy>,
                                                             OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    if (auto call = dyn_cast<HostCallOp>(op))
      return !call.isDpsInit(&operand) || operand.get() == call.getStatus();
    // These overwrite all of their destinations.
    return !isa<ArgsortOp, GatherOp, ScanOp>(op) ||
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
    for (Region &region : op->getRegions())
      onBuffers.addRegion()->takeBody(region);
    rewriter.setInsertionPoint(op);
    rewriter.create(onBuffers);
    bufferization::replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};
/// In place, or a copy to it.
struct StoreModel
    : bufferization::DstBufferizableOpInterfaceExternalModel<StoreModel,
                                                             StoreOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    return !cast<StoreOp>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto store = cast<StoreOp>(op);
    rewriter.setInsertionPoint(op);
    FailureOr<Value> from =
        getBuffer(rewriter, store.getSource(), options, state);
    FailureOr<Value> to =
        getBuffer(rewriter, store.getDestination(), options, state);
    if (failed(from) || failed(to))
      return failure();
    // Not by the hook of the options, which does not receive the op to mark.
    auto copy = memref::CopyOp::create(rewriter, op->getLoc(), *from, *to);
    copy->setAttr(LinalgExtDialect::getAssignedAttrName(),
                  rewriter.getUnitAttr());
    bufferization::replaceOpWithBufferizedValues(rewriter, op, *to);
    return success();
  }
};

/// A copy of each source.
struct InsertSlicesModel
    : bufferization::DstBufferizableOpInterfaceExternalModel<InsertSlicesModel,
                                                             InsertSlicesOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto insert = cast<InsertSlicesOp>(op);
    rewriter.setInsertionPoint(op);
    FailureOr<Value> whole =
        getBuffer(rewriter, insert.getInit(), options, state);
    if (failed(whole))
      return failure();
    auto type = cast<MemRefType>(whole->getType());
    size_t rank = type.getRank();
    SmallVector<OpFoldResult> offsets = insert.getMixedOffsets(),
                              sizes = insert.getMixedSizes(),
                              strides = insert.getMixedStrides();
    for (auto [index, source] : llvm::enumerate(insert.getSources())) {
      FailureOr<Value> buffer = getBuffer(rewriter, source, options, state);
      if (failed(buffer))
        return failure();
      auto own = [first = index * rank, rank](ArrayRef<OpFoldResult> numbers) {
        return numbers.slice(first, rank);
      };
      MemRefType slice = memref::SubViewOp::inferRankReducedResultType(
          cast<RankedTensorType>(source.getType()).getShape(), type,
          own(offsets), own(sizes), own(strides));
      Value place =
          memref::SubViewOp::create(rewriter, op->getLoc(), slice, *whole,
                                    own(offsets), own(sizes), own(strides));
      memref::CopyOp::create(rewriter, op->getLoc(), *buffer, place);
    }
    bufferization::replaceOpWithBufferizedValues(rewriter, op, *whole);
    return success();
  }
};

/// One loop over both buffers, in place.
struct ExchangeModel
    : bufferization::DstBufferizableOpInterfaceExternalModel<ExchangeModel,
                                                             ExchangeOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const bufferization::AnalysisState &) const {
    return true;
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    rewriter.setInsertionPoint(op);
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    int64_t rank = cast<MemRefType>(buffers.front().getType()).getRank();
    SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    linalg::GenericOp::create(
        rewriter, op->getLoc(), /*inputs=*/ValueRange(), /*outputs=*/buffers,
        maps, iterators, [](OpBuilder &b, Location loc, ValueRange elements) {
          linalg::YieldOp::create(b, loc, {elements[1], elements[0]});
        });
    bufferization::replaceOpWithBufferizedValues(rewriter, op, buffers);
    return success();
  }
};

/// A model that reads its operands and, as far as bufferization can tell,
/// writes nothing.
template <typename ModelTy, typename OpTy>
struct ReadingModel
    : bufferization::BufferizableOpInterface::ExternalModel<ModelTy, OpTy> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const bufferization::AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const bufferization::AnalysisState &) const {
    return false;
  }
  bufferization::AliasingValueList
  getAliasingValues(Operation *, OpOperand &,
                    const bufferization::AnalysisState &) const {
    return {};
  }
};

struct ProtectModel : ReadingModel<ProtectModel, ProtectOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &,
                          bufferization::BufferizationState &) const {
    rewriter.eraseOp(op);
    return success();
  }
};

struct CommitModel : ReadingModel<CommitModel, CommitOp> {
  /// The storages are written after all reads, so that there is no conflict.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const bufferization::AnalysisState &) const {
    return operand.getOperandNumber() < cast<CommitOp>(op).getValues().size();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    rewriter.modifyOpInPlace(op, [&] { op->setOperands(buffers); });
    return success();
  }
};

/// Reads its indices, and makes a number.
struct FindOutsideModel : ReadingModel<FindOutsideModel, FindOutsideOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const bufferization::BufferizationOptions &options,
                          bufferization::BufferizationState &state) const {
    auto find = cast<FindOutsideOp>(op);
    FailureOr<Value> indices =
        getBuffer(rewriter, find.getIndices(), options, state);
    if (failed(indices))
      return failure();
    bufferization::replaceOpWithNewBufferizedOp<FindOutsideOp>(
        rewriter, op, find.getOk(), *indices, find.getLimit());
    return success();
  }
};
} // namespace

void flywheel::linalg_ext::registerBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LinalgExtDialect *) {
    FindOutsideOp::attachInterface<FindOutsideModel>(*context);
    ArgsortOp::attachInterface<Model<ArgsortOp>>(*context);
    CombineRowsOp::attachInterface<Model<CombineRowsOp>>(*context);
    UpdateRowsOp::attachInterface<Model<UpdateRowsOp>>(*context);
    GatherOp::attachInterface<Model<GatherOp>>(*context);
    HostCallOp::attachInterface<Model<HostCallOp>>(*context);
    ScatterOp::attachInterface<Model<ScatterOp>>(*context);
    ScanOp::attachInterface<Model<ScanOp>>(*context);
    CholeskyOp::attachInterface<Model<CholeskyOp>>(*context);
    CommitOp::attachInterface<CommitModel>(*context);
    ProtectOp::attachInterface<ProtectModel>(*context);
    StoreOp::attachInterface<StoreModel>(*context);
    ExchangeOp::attachInterface<ExchangeModel>(*context);
    InsertSlicesOp::attachInterface<InsertSlicesModel>(*context);
    TriangularSolveOp::attachInterface<Model<TriangularSolveOp>>(*context);
  });
}
