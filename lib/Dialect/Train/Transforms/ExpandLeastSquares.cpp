//===- ExpandLeastSquares.cpp - train.least_squares to a loop -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `train.least_squares` ops. After: none, but loops of iterations, over
// values that start from reads of the variables and are assigned at the end.
// Refuses a region that changes variables; see TrainPasses.td.
//
//===----------------------------------------------------------------------===//

#include "LeastSquaresStep.h"
#include "LossHistory.h"
#include "VariableAccess.h"

#include "flywheel/Autodiff/Activity.h"
#include "flywheel/Autodiff/InlineRegion.h"
#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/TrainPasses.h"
#include "flywheel/Support/CheckedSize.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <array>

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINEXPANDLEASTSQUARES
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

/// From this many unknowns on, one factorization takes more than a second.
static constexpr int64_t kManyUnknowns = 4096;

namespace {
/// Expands one op.
class LeastSquaresExpander {
public:
  explicit LeastSquaresExpander(LeastSquaresOp op)
      : op(op), b(op), loc(op.getLoc()) {}

  LogicalResult run();

private:
  /// The values that the loop carries.
  struct State {
    SmallVector<Value> xs;
    Value objective, regularizer;
    /// Empty, or the objectives, whether each was accepted, and regularizers.
    SmallVector<Value> history;

    SmallVector<Value> pack() const;
  };

  LogicalResult checkRegion();
  LogicalResult checkConnected();
  void warnAboutSize();
  void promoteReads();
  SmallVector<Value> emitResiduals(ValueRange xs);
  Value emitObjective(ValueRange residuals);
  State emitStart();
  State unpack(ValueRange values);
  State emitIteration(const State &state, Value number);
  ValueRange emitLoop(const State &start);
  Value record(Value history, Value scalar, Value number);
  Value choose(Value condition, Value whenTrue, Value whenFalse);
  void assignVariables(ValueRange xs);

  LeastSquaresOp op;
  OpBuilder b;
  Location loc;
  SmallVector<VariableOp> variables;
};
} // namespace

SmallVector<Value> LeastSquaresExpander::State::pack() const {
  SmallVector<Value> values(xs);
  values.push_back(objective);
  values.push_back(regularizer);
  llvm::append_range(values, history);
  return values;
}

/// Refuses ops that cannot be computed twice, for x and for a candidate.
LogicalResult LeastSquaresExpander::checkRegion() {
  WalkResult result = op.getBody().walk([&](Operation *nested) {
    if (isa<func::CallOp>(nested)) {
      nested->emitOpError() << "in the region of 'train.least_squares': "
                               "expected a function with a body of one block "
                               "that does not call itself, found another";
      return WalkResult::interrupt();
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(nested);
    if (!effects)
      return WalkResult::advance();
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    if (llvm::none_of(instances, [](const MemoryEffects::EffectInstance &it) {
          return isa<MemoryEffects::Write>(it.getEffect()) &&
                 isa<VariableResource>(it.getResource());
        }))
      return WalkResult::advance();
    nested->emitOpError()
        << "in the region of 'train.least_squares': expected ops that change "
           "no variable, as each iteration computes residuals more than once";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Replaces reads of the variables in the region by arguments.
void LeastSquaresExpander::promoteReads() {
  Block &block = op.getBody().front();
  for (VariableOp variable : variables) {
    Value x = block.addArgument(variable.getTensorType(), variable.getLoc());
    op.getBody().walk([&](Operation *nested) {
      if (getReadVariable(nested) != FlatSymbolRefAttr::get(variable))
        return;
      nested->replaceAllUsesWith(ValueRange(x));
      nested->erase();
    });
  }
}

/// Refuses residuals that depend on no x: a value of a variable that is read
/// outside of the region, say.
LogicalResult LeastSquaresExpander::checkConnected() {
  llvm::SetVector<Value> sources = findDifferentiableSources(op.getResiduals());
  if (llvm::any_of(op.getBody().getArguments(),
                   [&](Value x) { return sources.contains(x); }))
    return success();
  InFlightDiagnostic error =
      op.emitOpError()
      << "No gradients provided for any variable: expected residuals that "
         "depend on one of the "
      << (variables.empty() ? "arguments of the region"
                            : "variables, read in the region")
      << ", found that they depend on none";
  return error;
}

/// Warns if the system has many unknowns.
void LeastSquaresExpander::warnAboutSize() {
  if (op.getSolver() != Solver::cholesky)
    return;
  auto count = [](auto values) {
    CheckedSize sum = 0;
    for (Value value : values) {
      auto type = cast<RankedTensorType>(value.getType());
      sum += type.hasStaticShape() ? CheckedSize(type.getNumElements())
                                   : CheckedSize(0);
    }
    return sum.getSaturated();
  };
  auto isStatic = [](Value value) {
    return cast<RankedTensorType>(value.getType()).hasStaticShape();
  };
  ValueRange residuals = op.getResiduals();
  int64_t n = count(op.getBody().getArguments());
  if (llvm::all_of(residuals, isStatic))
    n = std::min<int64_t>(n, count(residuals));
  if (n < kManyUnknowns)
    return;
  op.emitWarning() << "'" << op->getName() << "' factorizes a matrix of " << n
                   << " rows in each iteration, which takes " << n
                   << "^3 / 3 operations; `solver cg` forms no matrix";
}

SmallVector<Value> LeastSquaresExpander::emitResiduals(ValueRange xs) {
  return cloneBlock(b, op.getBody().front(), xs);
}

/// Emits half the sum of the squares of all elements.
Value LeastSquaresExpander::emitObjective(ValueRange residuals) {
  auto type = RankedTensorType::get({}, op.getElementType());
  Value sum;
  for (Value residual : residuals) {
    Value loss = nn::L2LossOp::create(b, loc, type, residual);
    sum = sum ? arith::AddFOp::create(b, loc, sum, loss) : loss;
  }
  return sum;
}

LeastSquaresExpander::State LeastSquaresExpander::emitStart() {
  State state;
  state.xs = op.getStarts();
  for (VariableOp variable : variables)
    state.xs.push_back(ReadOp::create(b, loc, variable.getTensorType(),
                                      variable.getSymName()));
  state.objective = emitObjective(emitResiduals(state.xs));
  state.regularizer = op.getDamping();
  if (!state.regularizer)
    state.regularizer = nn::buildSplat(b, loc, state.objective,
                                       op.getRegularizer().convertToDouble());
  if (!op.getHistory())
    return state;
  for (Value like : op.getResults().take_back(3)) {
    auto type = cast<RankedTensorType>(like.getType());
    state.history.push_back(arith::ConstantOp::create(
        b, loc, type, cast<TypedAttr>(b.getZeroAttr(type))));
  }
  return state;
}

/// Selects `whenTrue` or `whenFalse` by a scalar tensor.
Value LeastSquaresExpander::choose(Value condition, Value whenTrue,
                                   Value whenFalse) {
  Value each = nn::buildBroadcast(b, loc, condition, {}, whenTrue);
  return arith::SelectOp::create(b, loc, each, whenTrue, whenFalse);
}

/// Inserts `scalar`, a scalar tensor, into `history` as element `number`.
Value LeastSquaresExpander::record(Value history, Value scalar, Value number) {
  Value element = tensor::ExtractOp::create(b, loc, scalar, ValueRange());
  return tensor::InsertOp::create(b, loc, element, history, number);
}

LeastSquaresExpander::State
LeastSquaresExpander::emitIteration(const State &state, Value number) {
  // A captured value of the region may be the same value as an x.
  SmallVector<Value> xs = llvm::map_to_vector(state.xs, [&](Value x) -> Value {
    return ParameterOp::create(b, loc, x);
  });
  std::unique_ptr<LeastSquaresSystem> system =
      emitLeastSquaresSystem(b, op, xs, emitResiduals(xs));
  LeastSquaresStep step = system->emitStep(state.regularizer);
  SmallVector<Value> candidates;
  for (auto [x, delta] : llvm::zip_equal(state.xs, step.deltas)) {
    // If the step failed, the deltas may be NaN, which no residual should see.
    if (step.success)
      delta = choose(step.success, delta, nn::buildSplat(b, loc, delta, 0.0));
    candidates.push_back(arith::SubFOp::create(b, loc, x, delta));
  }
  Value objective = emitObjective(emitResiduals(candidates));
  Value isAccepted = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                           objective, state.objective);
  State next;
  for (auto [x, candidate] : llvm::zip_equal(state.xs, candidates))
    next.xs.push_back(choose(isAccepted, candidate, x));
  next.objective =
      arith::SelectOp::create(b, loc, isAccepted, objective, state.objective);
  ElementwiseExpr regularizer(b, loc, state.regularizer);
  next.regularizer = arith::SelectOp::create(
      b, loc, isAccepted, state.regularizer,
      regularizer * op.getMultiplier().convertToDouble());
  if (state.history.empty())
    return next;
  std::array<Value, 3> scalars{next.objective, isAccepted, next.regularizer};
  for (auto [history, scalar] : llvm::zip_equal(state.history, scalars))
    next.history.push_back(record(history, scalar, number));
  return next;
}

LeastSquaresExpander::State LeastSquaresExpander::unpack(ValueRange values) {
  size_t numXs = op.getBody().getNumArguments();
  return {SmallVector<Value>(values.take_front(numXs)), values[numXs],
          values[numXs + 1], SmallVector<Value>(values.drop_front(numXs + 2))};
}

/// Emits all iterations.
ValueRange LeastSquaresExpander::emitLoop(const State &start) {
  auto index = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  auto loop = scf::ForOp::create(b, loc, index(0), index(op.getMaxIterations()),
                                 index(1), start.pack());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  State next =
      emitIteration(unpack(loop.getRegionIterArgs()), loop.getInductionVar());
  scf::YieldOp::create(b, loc, next.pack());
  return loop.getResults();
}

void LeastSquaresExpander::assignVariables(ValueRange xs) {
  for (auto [variable, x] :
       llvm::zip_equal(variables, xs.take_back(variables.size()))) {
    Value value = x;
    if (auto constraint = variable.getConstraintAttr())
      value = ProjectOp::create(b, loc, value, constraint);
    AssignOp::create(b, loc, variable.getTensorType(), variable.getSymName(),
                     value);
  }
}

LogicalResult LeastSquaresExpander::run() {
  inlineCalls(op.getBody());
  if (op.getVarList())
    for (auto symbol : op.getVarList()->getAsRange<FlatSymbolRefAttr>())
      variables.push_back(
          SymbolTable::lookupNearestSymbolFrom<VariableOp>(op, symbol));
  if (failed(checkRegion()))
    return failure();
  promoteReads();
  if (failed(checkConnected()))
    return failure();
  warnAboutSize();

  State start = emitStart(), end;
  if (op.getMaxIterations() == 1)
    end = emitIteration(start, arith::ConstantIndexOp::create(b, loc, 0));
  else
    end = unpack(emitLoop(start));
  assignVariables(end.xs);
  SmallVector<Value> results{end.objective};
  llvm::append_range(results,
                     ArrayRef(end.xs).take_front(op.getStarts().size()));
  llvm::append_range(results, end.history);
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}

namespace {
struct TrainExpandLeastSquares
    : impl::TrainExpandLeastSquaresBase<TrainExpandLeastSquares> {
  void runOnOperation() override {
    SmallVector<LeastSquaresOp> ops;
    getOperation().walk([&](LeastSquaresOp op) { ops.push_back(op); });
    for (LeastSquaresOp op : ops) {
      if (failed(LeastSquaresExpander(op).run()))
        return signalPassFailure();
      ++numExpanded;
    }
  }
};
} // namespace
} // namespace flywheel::train
