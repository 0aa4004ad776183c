//===- ExpandRandom.cpp - The train-expand-random pass --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildElements.h"
#include "DeclareVariable.h"
#include "flywheel/Dialect/Train/RandomStream.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINEXPANDRANDOM
#include "flywheel/Dialect/Train/TrainPasses.h.inc"
} // namespace flywheel::train

using namespace flywheel::train;

/// Replaces one op by what it means.
static void expandRandom(RandomOp op) {
  Location loc = op.getLoc();
  OpBuilder b(op);
  InitializerAttrInterface distribution = op.getDistribution();
  auto type = cast<RankedTensorType>(op.getType());
  auto streamType = RankedTensorType::get({2}, b.getI64Type());
  VariableOp stream = declareVariable(
      SymbolTable::getNearestSymbolTable(op), loc, "random", streamType,
      StreamAttr::get(op.getContext(), distribution.getStreamSeed()));
  auto symbol = FlatSymbolRefAttr::get(stream.getSymNameAttr());

  Value state = ReadOp::create(b, loc, streamType, symbol);
  auto get = [&](int64_t index) -> Value {
    Value position = arith::ConstantIndexOp::create(b, loc, index);
    return tensor::ExtractOp::create(b, loc, state, position);
  };
  Value key = buildStreamKey(b, loc, get(0), /*opSeed=*/0, get(1));
  Value drawn =
      buildElements(b, loc, distribution, type, key, op.getDynamicSizes());
  if (drawn.getType() != type)
    drawn = tensor::BitcastOp::create(b, loc, type, drawn);
  Value step = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(streamType, ArrayRef<int64_t>{0, 1}));
  AssignAddOp::create(b, loc, streamType, symbol, step);
  op.replaceAllUsesWith(drawn);
  op.erase();
}

namespace {
struct TrainExpandRandom
    : flywheel::train::impl::TrainExpandRandomBase<TrainExpandRandom> {
  void runOnOperation() override {
    SmallVector<RandomOp> ops;
    getOperation().walk([&](RandomOp op) { ops.push_back(op); });
    for (RandomOp op : ops)
      expandRandom(op);
  }
};
} // namespace
