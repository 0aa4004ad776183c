//===- ConvertRowUpdatesToLinalg.cpp - Updates along rows of a table ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerProjections.h"
#include "RowGradients.h"

#include "flywheel/Conversion/ConversionPasses.h"
#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_CONVERTROWUPDATESTOLINALG
#include "flywheel/Conversion/ConversionPasses.h.inc"
} // namespace flywheel

using namespace flywheel;
using train::OptimizerUpdateOpInterface;
using train::TrainDialect;

/// Returns true if the program asks that rows without a gradient remain
/// unchanged.
static bool isLazy(Operation *update) {
  return update->hasAttr(TrainDialect::getLazyAttrName());
}

namespace {
/// Replaces one update whose gradient is rows.
class UpdateConverter {
public:
  UpdateConverter(RewriterBase &rewriter, OptimizerUpdateOpInterface update,
                  RowGradient gradient)
      : e(rewriter, update), update(update), gradient(gradient),
        // The other rows have a gradient, too: 0.
        all(!isLazy(update) && !update.leavesStateWithoutGradient()) {}

  void run();

private:
  /// Returns true if all rows that a projection would change are updated.
  bool coversProjection() { return all || isLazy(update); }
  linalg_ext::UpdateRowsOp emitUpdate(train::ProjectOp projection);
  void projectRows(train::ProjectOp projection);

  LinalgEmitter e;
  OptimizerUpdateOpInterface update;
  RowGradient gradient;
  bool all;
};

struct ConvertRowUpdatesToLinalg
    : flywheel::impl::ConvertRowUpdatesToLinalgBase<ConvertRowUpdatesToLinalg> {
  using ConvertRowUpdatesToLinalgBase::ConvertRowUpdatesToLinalgBase;

  void runOnOperation() override;

private:
  bool isWorthwhile(RowGradients &gradients, Value value);
};
} // namespace

linalg_ext::UpdateRowsOp
UpdateConverter::emitUpdate(train::ProjectOp projection) {
  SmallVector<Value> state(update.getState()), scalars;
  for (Value scalar : update.getScalars())
    scalars.push_back(tensor::ExtractOp::create(e.b, e.loc, scalar));
  auto rows = linalg_ext::UpdateRowsOp::create(
      e.b, e.loc, TypeRange(ValueRange(state)), gradient.indices,
      gradient.order, gradient.rows, state, all);
  OpBuilder::InsertionGuard guard(e.b);
  SmallVector<Type> types = {getElementTypeOrSelf(gradient.rows)};
  for (Value value : state)
    types.push_back(getElementTypeOrSelf(value));
  Block *block = e.b.createBlock(&rows.getBody(), {}, types,
                                 SmallVector<Location>(types.size(), e.loc));
  ValueRange elements = block->getArguments();
  SmallVector<Value> updated = update.buildElementUpdate(
      e.b, e.loc, elements.drop_front(), elements.front(), scalars);
  if (projection)
    updated[0] =
        projectElement(e.b, e.loc, projection.getConstraint(), updated[0]);
  linalg_ext::YieldOp::create(e.b, e.loc, updated);
  return rows;
}

/// Projects only the rows with a gradient, by the norm of each row.
void UpdateConverter::projectRows(train::ProjectOp projection) {
  e.b.setInsertionPoint(projection);
  Value table = projection.getInput(), indices = gradient.indices;
  auto type = cast<RankedTensorType>(table.getType());
  SmallVector<DimSize> dimSizes = e.getDimSizes(gradient.rows);
  Value room = e.empty(dimSizes, type.getElementType());
  Value rows = linalg_ext::GatherOp::create(e.b, e.loc, room.getType(), table,
                                            indices, room, /*axis=*/0)
                   .getResult(0);
  rows = train::ProjectOp::create(e.b, projection.getLoc(), rows,
                                  projection.getConstraint());
  e.b.replaceOpWithNewOp<linalg_ext::ScatterOp>(
      projection, type, linalg_ext::ScatterKind::replace, indices, rows, table,
      /*axis=*/0);
}

/// Returns the projection of the new parameter, by norms, that can be computed
/// row by row; null if there is none.
static train::ProjectOp getRowProjection(Value parameter) {
  if (!parameter.hasOneUse())
    return {};
  auto projection = dyn_cast<train::ProjectOp>(*parameter.getUsers().begin());
  if (!projection || projection.getConstraint().getNormAxis().value_or(0) == 0)
    return {};
  return projection;
}

void UpdateConverter::run() {
  train::ProjectOp projection = getElementProjection(update);
  if (!coversProjection())
    projection = {};
  linalg_ext::UpdateRowsOp rows = emitUpdate(projection);
  if (projection)
    e.b.replaceOp(projection, rows.getResult(0));
  bool isLazyUpdate = isLazy(update);
  e.b.replaceOp(update, rows.getResults());
  if (isLazyUpdate)
    if (train::ProjectOp byRow = getRowProjection(rows.getResult(0)))
      projectRows(byRow);
}

/// Returns true if updating rows takes less time and memory than updating the
/// whole of `value`.
bool ConvertRowUpdatesToLinalg::isWorthwhile(RowGradients &gradients,
                                             Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<int64_t> numRows = gradients.getNumRows(value);
  return gradients.getTableSize(value) >= minElements &&
         (!numRows || *numRows <= type.getDimSize(0) / 4);
}

/// Returns true if an elementwise op reads all elements of a variable that
/// `update` overwrites, as weight decay does. A dense update is fused with that
/// op; a row update would force it to read a copy.
static bool isReadElementwise(OptimizerUpdateOpInterface update) {
  return llvm::any_of(update.getState(), [](Value value) {
    return llvm::any_of(value.getUsers(),
                        OpTrait::hasElementwiseMappableTraits);
  });
}

/// Warns about 'sparse lazy' if it has no effect. One op of the source updates
/// tables and other variables, and all the updates that it is expanded to have
/// its location: a table among them is enough.
static void warnAboutDense(ArrayRef<OptimizerUpdateOpInterface> updates,
                           RowGradients &gradients) {
  llvm::MapVector<Location, bool> hasRows;
  for (OptimizerUpdateOpInterface update : updates)
    if (isLazy(update))
      hasRows[update->getLoc()] |=
          gradients.isRows(update.getGradientOperand());
  for (auto [location, isUseful] : hasRows)
    if (!isUseful)
      emitWarning(location)
          << "expected a gradient of rows for an update with 'sparse lazy', "
             "found gradients of all elements: every row is updated";
}

/// Erases those of `ops` that have no uses, and the ops that only they use.
static void eraseDead(RewriterBase &rewriter, ArrayRef<Operation *> ops) {
  SmallVector<Operation *> worklist(ops);
  llvm::SmallPtrSet<Operation *, 8> erased;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!op || erased.contains(op) || !isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      worklist.push_back(operand.getDefiningOp());
    erased.insert(op);
    rewriter.eraseOp(op);
  }
}

void ConvertRowUpdatesToLinalg::runOnOperation() {
  SmallVector<OptimizerUpdateOpInterface> updates;
  SmallVector<nn::ReduceOp> reductions;
  getOperation()->walk([&](Operation *op) {
    if (auto update = dyn_cast<OptimizerUpdateOpInterface>(op))
      updates.push_back(update);
    else if (auto reduce = dyn_cast<nn::ReduceOp>(op))
      reductions.push_back(reduce);
  });
  IRRewriter rewriter(&getContext());
  RowGradients gradients(rewriter);
  SmallVector<Operation *> producers;
  for (nn::ReduceOp reduce : reductions) {
    Value input = reduce.getInput();
    // A sum over the rows: a sum over other dimensions alone has rows itself.
    if (reduce.getKind() != nn::ReductionKind::sum ||
        reduce.getAxes().empty() || reduce.getAxes().front() != 0 ||
        !gradients.isRows(input) || !isWorthwhile(gradients, input))
      continue;
    Value rows = gradients.get(input).rows;
    rewriter.modifyOpInPlace(reduce,
                             [&] { reduce.getInputMutable().assign(rows); });
    producers.push_back(input.getDefiningOp());
    ++numReductions;
  }
  warnAboutDense(updates, gradients);
  for (OptimizerUpdateOpInterface update : updates) {
    Value gradient = update.getGradientOperand();
    bool lazy = isLazy(update);
    if (!gradients.isRows(gradient))
      continue;
    if (!lazy &&
        (!isWorthwhile(gradients, gradient) || isReadElementwise(update)))
      continue;
    RowGradient rows = gradients.get(gradient);
    producers.push_back(gradient.getDefiningOp());
    UpdateConverter(rewriter, update, rows).run();
    ++numUpdates;
  }
  eraseDead(rewriter, producers);
}
