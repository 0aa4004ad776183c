//===- ExpandMovingAverages.cpp - Moving averages to reads and assigns ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before: `train.moving_average` ops. After: none, but reads and assignments of
// their variables. Refuses nothing; see TrainPasses.td.
//
//===----------------------------------------------------------------------===//

#include "DeclareVariable.h"
#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINEXPANDMOVINGAVERAGES
#include "flywheel/Dialect/Train/TrainPasses.h.inc"

namespace {
/// The variables that the zero-debiased averages of one variable share.
struct Debiasing {
  VariableOp biased, step;
};

struct TrainExpandMovingAverages
    : impl::TrainExpandMovingAveragesBase<TrainExpandMovingAverages> {
  void runOnOperation() override {
    SmallVector<MovingAverageOp> ops;
    getOperation().walk([&](MovingAverageOp op) { ops.push_back(op); });
    debiasings.clear();
    for (MovingAverageOp op : ops)
      expand(op);
  }

private:
  void expand(MovingAverageOp op);
  ElementwiseExpr emitDebiased(MovingAverageOp op, OpBuilder &b,
                               ElementwiseExpr value);
  Debiasing &getDebiasing(MovingAverageOp op);

  llvm::DenseMap<Operation *, Debiasing> debiasings;
};
} // namespace

static Value read(OpBuilder &b, Location loc, VariableOp variable) {
  return ReadOp::create(b, loc, variable.getTensorType(),
                        variable.getSymName());
}

static void assign(OpBuilder &b, Location loc, VariableOp variable,
                   Value value) {
  AssignOp::create(b, loc, variable.getTensorType(), variable.getSymName(),
                   value);
}

/// Moves `average` towards `value`. If it is `value` already it stays so, bit
/// for bit. The difference of both is not formed: it may overflow, and it loses
/// the smaller one.
static ElementwiseExpr move(ElementwiseExpr average, ElementwiseExpr value,
                            double momentum) {
  ElementwiseExpr moved = average * momentum + value * (1.0 - momentum);
  return (average == value).select(average, moved);
}

Debiasing &TrainExpandMovingAverages::getDebiasing(MovingAverageOp op) {
  auto variable = SymbolTable::lookupNearestSymbolFrom<VariableOp>(
      op, op.getVariableAttr());
  auto [it, isNew] = debiasings.try_emplace(variable);
  if (!isNew)
    return it->second;
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  auto zeros = ZerosAttr::get(op.getContext());
  auto declare = [&](StringRef name, RankedTensorType type, VariableOp owner) {
    return declareVariable(table, op.getLoc(), variable.getSymName() + name,
                           type, zeros, owner);
  };
  it->second.biased = declare("/biased", variable.getTensorType(), variable);
  it->second.step = declare(
      "/local_step",
      RankedTensorType::get({}, IntegerType::get(op.getContext(), 64)), {});
  return it->second;
}

ElementwiseExpr TrainExpandMovingAverages::emitDebiased(MovingAverageOp op,
                                                        OpBuilder &b,
                                                        ElementwiseExpr value) {
  Location loc = op.getLoc();
  double momentum = op.getMomentum().convertToDouble();
  Debiasing &debiasing = getDebiasing(op);
  ElementwiseExpr biased = nn::widen(b, loc, read(b, loc, debiasing.biased));
  biased = biased - (biased - value) * (1.0 - momentum);
  assign(b, loc, debiasing.biased,
         nn::roundTo(b, loc, biased, debiasing.biased.getTensorType()));
  ElementwiseExpr step(b, loc, read(b, loc, debiasing.step));
  step = step.apply<arith::AddIOp>(step.splat(1.0));
  assign(b, loc, debiasing.step, step);

  // 1 - momentum^n cancels: in f64, and one number.
  auto f64 = RankedTensorType::get({}, b.getF64Type());
  ElementwiseExpr count = step.with(arith::SIToFPOp::create(b, loc, f64, step));
  ElementwiseExpr weight =
      1.0 - count.splat(momentum).apply<math::PowFOp>(count);
  auto scalar =
      RankedTensorType::get({}, getElementTypeOrSelf(value.getType()));
  Value narrowed = nn::roundTo(b, loc, weight, scalar);
  return biased / biased.with(nn::buildBroadcast(b, loc, narrowed, {}, biased));
}

void TrainExpandMovingAverages::expand(MovingAverageOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type type = op.getValue().getType();
  double momentum = op.getMomentum().convertToDouble();
  ElementwiseExpr value = nn::widen(b, loc, op.getValue());
  ElementwiseExpr average;
  if (op.getZeroDebias()) {
    average = emitDebiased(op, b, value);
  } else {
    ElementwiseExpr old =
        nn::widen(b, loc, ReadOp::create(b, loc, type, op.getVariableAttr()));
    average = move(old, value, momentum);
  }
  auto assigned = AssignOp::create(b, loc, type, op.getVariableAttr(),
                                   nn::roundTo(b, loc, average, type));
  op.replaceAllUsesWith(assigned.getResult());
  op.erase();
}

} // namespace flywheel::train
