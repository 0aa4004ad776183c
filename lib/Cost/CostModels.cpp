//===- CostModels.cpp - Costs of ops of other dialects --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One model for each kind of op: elementwise, structured, views, and those that
// move or make numbers without computing. The table of numbers is in
// docs/Guides/CostAndProfile.md.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Cost/CostModels.h"

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Interfaces/CostOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace flywheel {

/// Returns true if an op computes indices, not elements.
static bool isIndexing(Operation *op) {
  auto isIndex = [](Type type) { return getElementTypeOrSelf(type).isIndex(); };
  return llvm::any_of(op->getOperandTypes(), isIndex) ||
         llvm::any_of(op->getResultTypes(), isIndex);
}

/// Returns the operations that an elementwise op takes for an element.
static int64_t countPerElement(Operation *op) {
  if (isa<CastOpInterface>(op) || op->hasTrait<OpTrait::ConstantLike>() ||
      !OpTrait::hasElementwiseMappableTraits(op) || isIndexing(op))
    return 0;
  return isa<math::RsqrtOp, math::FmaOp>(op) ? 2 : 1;
}

/// Returns the operations of all ops in `block`, for an element.
static int64_t countBody(Block &block) {
  int64_t flops = 0;
  block.walk([&](Operation *inner) { flops += countPerElement(inner); });
  return flops;
}

/// Returns a cost of zero.
static CostExpr countNothing() { return CostExpr(); }

namespace {
/// Ops of `arith` and `math`.
struct ElementwiseCost : CostOpInterface::FallbackModel<ElementwiseCost> {
  CostExpr countFlops(Operation *op, CostSizes &sizes) const {
    int64_t flops = countPerElement(op);
    // Scalar integers count iterations and elements.
    if (flops == 0 || (!isa<ShapedType>(op->getResult(0).getType()) &&
                       !isa<FloatType>(op->getResult(0).getType())))
      return CostExpr();
    return sizes.getNumElements(op->getResult(0)) * CostExpr::constant(flops);
  }
  CostExpr countBytes(Operation *op, CostSizes &sizes) const {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return CostExpr();
    return countAllBytes(op, sizes);
  }
  bool isView(Operation *) const { return false; }
};

/// Ops that make or move numbers.
struct MoveCost : CostOpInterface::FallbackModel<MoveCost> {
  CostExpr countFlops(Operation *, CostSizes &) const { return {}; }
  CostExpr countBytes(Operation *op, CostSizes &sizes) const {
    return countAllBytes(op, sizes);
  }
  bool isView(Operation *) const { return false; }
};

/// Ops that make no number and move none.
struct FreeCost : CostOpInterface::FallbackModel<FreeCost> {
  CostExpr countFlops(Operation *, CostSizes &) const { return {}; }
  CostExpr countBytes(Operation *, CostSizes &) const { return {}; }
  bool isView(Operation *) const { return false; }
};

/// A place for a tensor, which may start as a copy of another one.
struct PlaceCost : CostOpInterface::FallbackModel<PlaceCost> {
  CostExpr countFlops(Operation *, CostSizes &) const { return {}; }
  CostExpr countBytes(Operation *op, CostSizes &sizes) const {
    return cast<bufferization::AllocTensorOp>(op).getCopy()
               ? countAllBytes(op, sizes)
               : CostExpr();
  }
  bool isView(Operation *) const { return false; }
};

/// Another look at a tensor.
struct ViewCost : CostOpInterface::FallbackModel<ViewCost> {
  CostExpr countFlops(Operation *, CostSizes &) const { return {}; }
  CostExpr countBytes(Operation *, CostSizes &) const { return {}; }
  bool isView(Operation *) const { return true; }
};

/// A slice that is taken or put in place: read and written once.
struct SliceCost : CostOpInterface::FallbackModel<SliceCost> {
  CostExpr countFlops(Operation *, CostSizes &) const { return {}; }
  CostExpr countBytes(Operation *op, CostSizes &sizes) const {
    return sizes.getNumBytes(op->getOperand(0)) * CostExpr::constant(2);
  }
  bool isView(Operation *) const { return false; }
};

/// Slices that are put in place: each is read and written once.
struct SlicesCost : CostOpInterface::FallbackModel<SlicesCost> {
  CostExpr countFlops(Operation *, CostSizes &) const { return {}; }
  CostExpr countBytes(Operation *op, CostSizes &sizes) const {
    CostExpr bytes;
    for (Value source : cast<linalg_ext::InsertSlicesOp>(op).getSources())
      bytes = bytes + sizes.getNumBytes(source) * CostExpr::constant(2);
    return bytes;
  }
  bool isView(Operation *) const { return false; }
};

/// Structured ops: the cost of the body for each point of the loops. A body
/// that only combines n numbers to one takes n - 1.
struct StructuredCost : CostOpInterface::FallbackModel<StructuredCost> {
  CostExpr countFlops(Operation *op, CostSizes &sizes) const {
    auto structured = cast<linalg::LinalgOp>(op);
    int64_t flops = countBody(*structured.getBlock());
    CostExpr points = countPoints(structured, sizes);
    if (flops == 1 && structured.getNumReductionLoops() > 0)
      return points - sizes.getNumElements(structured.getDpsInits().front());
    return points * CostExpr::constant(flops);
  }
  /// A destination that the body does not read is only written.
  CostExpr countBytes(Operation *op, CostSizes &sizes) const {
    auto structured = cast<linalg::LinalgOp>(op);
    CostExpr bytes;
    llvm::SmallPtrSet<void *, 8> seen;
    for (OpOperand &operand : op->getOpOperands()) {
      CostExpr part = sizes.getNumBytes(operand.get());
      if (structured.payloadUsesValueFromOperand(&operand) &&
          seen.insert(operand.get().getAsOpaquePointer()).second)
        bytes = bytes + part;
      if (structured.isDpsInit(&operand))
        bytes = bytes + part;
    }
    return bytes;
  }
  bool isView(Operation *) const { return false; }

private:
  static CostExpr countPoints(linalg::LinalgOp op, CostSizes &sizes) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    std::vector<std::optional<CostExpr>> loops(ranges.size());
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(expr))
          if (!loops[loop.getPosition()])
            loops[loop.getPosition()] = sizes.getSize(operand.get(), dim);
    CostExpr points = CostExpr::constant(1);
    for (auto [loop, range] : llvm::zip(loops, ranges))
      points = points * (loop ? *loop : CostExpr::constant(range));
    return points;
  }
};

/// `linalg_ext`: an operation for each number that is added.
struct OrderedCost : CostOpInterface::FallbackModel<OrderedCost> {
  CostExpr countFlops(Operation *op, CostSizes &sizes) const {
    auto scatter = dyn_cast<linalg_ext::ScatterOp>(op);
    if (scatter && scatter.getKind() == linalg_ext::ScatterKind::add)
      return sizes.getNumElements(scatter.getUpdates());
    if (auto scan = dyn_cast<linalg_ext::ScanOp>(op))
      return sizes.getNumElements(scan.getX());
    if (auto factor = dyn_cast<linalg_ext::CholeskyOp>(op))
      return countMatrices(
          factor.getInit(),
          [&](const CostExpr &n) { return sizes.getQuotient(n * n * n, 3); },
          sizes);
    if (auto solve = dyn_cast<linalg_ext::TriangularSolveOp>(op)) {
      int64_t rank = cast<ShapedType>(solve.getA().getType()).getRank();
      return sizes.getNumElements(solve.getInit()) *
             sizes.getSize(solve.getA(), rank - 1);
    }
    return countNothing();
  }
  CostExpr countBytes(Operation *op, CostSizes &sizes) const {
    CostExpr two = CostExpr::constant(2);
    if (auto gather = dyn_cast<linalg_ext::GatherOp>(op))
      return sizes.getNumBytes(gather.getInit()) * two +
             sizes.getNumBytes(gather.getIndices());
    if (auto scatter = dyn_cast<linalg_ext::ScatterOp>(op))
      return sizes.getNumBytes(scatter.getUpdates()) * CostExpr::constant(3) +
             sizes.getNumBytes(scatter.getIndices());
    return countAllBytes(op, sizes);
  }
  bool isView(Operation *) const { return false; }

private:
  template <typename Fn>
  static CostExpr countMatrices(Value matrices, Fn countOne, CostSizes &sizes) {
    int64_t rank = cast<ShapedType>(matrices.getType()).getRank();
    CostExpr flops = countOne(sizes.getSize(matrices, rank - 1));
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      flops = flops * sizes.getSize(matrices, dim);
    return flops;
  }
};

/// Rows of a table. The number of different rows is only known to be at most
/// that of the indices.
struct RowsCost : CostOpInterface::FallbackModel<RowsCost> {
  CostExpr countFlops(Operation *op, CostSizes &sizes) const {
    if (auto combine = dyn_cast<linalg_ext::CombineRowsOp>(op))
      return sizes.getNumElements(combine.getRows()) -
             countRow(combine.getRows(), sizes);
    if (auto update = dyn_cast<linalg_ext::UpdateRowsOp>(op))
      return sizes.getNumElements(getUpdated(update)) *
             CostExpr::constant(countBody(update.getBody().front()));
    return countNothing();
  }
  CostExpr countBytes(Operation *op, CostSizes &sizes) const {
    CostExpr two = CostExpr::constant(2);
    if (auto combine = dyn_cast<linalg_ext::CombineRowsOp>(op))
      return sizes.getNumBytes(combine.getIndices()) +
             sizes.getNumBytes(combine.getOrder()) +
             sizes.getNumBytes(combine.getRows()) * two;
    auto update = dyn_cast<linalg_ext::UpdateRowsOp>(op);
    if (!update)
      return countAllBytes(op, sizes);
    CostExpr bytes = sizes.getNumBytes(update.getIndices()) +
                     sizes.getNumBytes(update.getOrder()) +
                     sizes.getNumBytes(update.getRows());
    // Elements of the tables may have another type than those of the rows.
    for (Value table : update.getTables()) {
      Type element = getElementTypeOrSelf(table.getType());
      int64_t width =
          element.isIntOrFloat()
              ? llvm::divideCeil(int64_t{element.getIntOrFloatBitWidth()}, 8)
              : 0;
      bytes = bytes + sizes.getNumElements(getUpdated(update)) *
                          CostExpr::constant(2 * width);
    }
    return bytes;
  }
  bool isView(Operation *) const { return false; }

private:
  /// Returns a tensor that has as many elements as are updated.
  static Value getUpdated(linalg_ext::UpdateRowsOp update) {
    return update.getAll() ? update.getTables().front() : update.getRows();
  }
  static CostExpr countRow(Value rows, CostSizes &sizes) {
    CostExpr elements = CostExpr::constant(1);
    for (int64_t dim = 1, rank = cast<ShapedType>(rows.getType()).getRank();
         dim < rank; ++dim)
      elements = elements * sizes.getSize(rows, dim);
    return elements;
  }
};

/// An assignment that adds: one operation an element. The variable is read and
/// written.
struct AddAssignCost : CostOpInterface::FallbackModel<AddAssignCost> {
  CostExpr countFlops(Operation *op, CostSizes &sizes) const {
    return sizes.getNumElements(op->getOperand(0));
  }
  CostExpr countBytes(Operation *op, CostSizes &sizes) const {
    return sizes.getNumBytes(op->getOperand(0)) * CostExpr::constant(3);
  }
  bool isView(Operation *) const { return false; }
};

/// Draws: a product and a sum for each element, whatever computes the bits.
struct DrawCost : CostOpInterface::FallbackModel<DrawCost> {
  CostExpr countFlops(Operation *op, CostSizes &sizes) const {
    return sizes.getNumElements(op->getResult(0)) * CostExpr::constant(2);
  }
  CostExpr countBytes(Operation *op, CostSizes &sizes) const {
    return countAllBytes(op, sizes);
  }
  bool isView(Operation *) const { return false; }
};
} // namespace

/// Gives the ops of the dialect `name` that `select` is true of a model.
template <typename Model>
static void attachTo(MLIRContext *context, StringRef name,
                     llvm::function_ref<bool(RegisteredOperationName)> select) {
  // Not `getRegisteredOperationsByDialect`: its search misses the ops of
  // `math`.
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() == name && select(op))
      op.attachInterface<Model>();
}

static bool isAny(RegisteredOperationName) { return true; }

template <typename Model, typename... Ops>
static void attachAll(MLIRContext *context) {
  (RegisteredOperationName::lookup(TypeID::get<Ops>(), context)
       ->template attachInterface<Model>(),
   ...);
}

static void attachTensorCosts(MLIRContext *context) {
  using namespace tensor;
  attachAll<ViewCost, BitcastOp, CastOp, CollapseShapeOp, ExpandShapeOp,
            ReshapeOp>(context);
  attachAll<FreeCost, DimOp, EmptyOp, ExtractOp, FromElementsOp, InsertOp,
            RankOp, SplatOp, YieldOp>(context);
  attachAll<MoveCost, ConcatOp, GatherOp, GenerateOp, PadOp>(context);
  attachAll<SliceCost, InsertSliceOp, ParallelInsertSliceOp>(context);
  attachAll<MoveCost, ExtractSliceOp>(context);
}

static void attachTrainCosts(MLIRContext *context) {
  using namespace train;
  attachAll<FreeCost, GradientOp, HostCallOp, IsInitializedOp,
            InitializedValueOp, JacobianOp, JvpOp, ReadOp, StreamKeyOp,
            StringConstantOp, StringEqualOp, VariableOp>(context);
  attachAll<ViewCost, ParameterOp, StopGradientOp>(context);
  attachAll<MoveCost, AssignOp, AssignNthOp, RandomBitsOp>(context);
  attachAll<AddAssignCost, AssignAddOp, AssignSubOp>(context);
  attachAll<DrawCost, DropoutOp, RandomOp>(context);
}

void registerCostModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, bufferization::BufferizationDialect *) {
        attachAll<PlaceCost, bufferization::AllocTensorOp>(context);
      });
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachTo<ElementwiseCost>(context, "arith", isAny);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachTo<ElementwiseCost>(context, "math", isAny);
  });
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachTo<StructuredCost>(context, "linalg", [](RegisteredOperationName op) {
      return op.hasInterface<linalg::LinalgOp>();
    });
    attachAll<MoveCost, linalg::PackOp, linalg::UnPackOp>(context);
    attachAll<FreeCost, linalg::IndexOp, linalg::YieldOp>(context);
  });
  registry.addExtension(
      +[](MLIRContext *context, linalg_ext::LinalgExtDialect *) {
        using namespace linalg_ext;
        attachAll<OrderedCost, CholeskyOp, GatherOp, ScanOp, ScatterOp,
                  TriangularSolveOp>(context);
        attachAll<RowsCost, ArgsortOp, CombineRowsOp, UpdateRowsOp>(context);
        attachAll<SliceCost, StoreOp>(context);
        attachAll<SlicesCost, InsertSlicesOp>(context);
        attachAll<MoveCost, ExchangeOp>(context);
        attachAll<FreeCost, CommitOp, FindOutsideOp, HostCallOp, ProtectOp>(
            context);
      });
  registry.addExtension(
      +[](MLIRContext *context, ml_program::MLProgramDialect *) {
        attachAll<FreeCost, ml_program::GlobalLoadOp>(context);
        attachAll<MoveCost, ml_program::GlobalStoreOp>(context);
      });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attachTensorCosts(context);
  });
  registry.addExtension(+[](MLIRContext *context, train::TrainDialect *) {
    attachTrainCosts(context);
  });
}

} // namespace flywheel
