//===- ExpandRandom.cpp - The train-expand-random pass --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildElements.h"
#include "DeclareVariable.h"
#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/RandomStream.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_TRAINEXPANDRANDOM
#include "flywheel/Dialect/Train/TrainPasses.h.inc"
} // namespace flywheel::train

using namespace flywheel::train;

namespace {
/// Declares the streams of ops.
class Streams {
public:
  explicit Streams(ModuleOp module) : module(module) {}

  /// Returns the stream of `op`: one of the object that its function names, in
  /// the order of the function's ops, or one of its own.
  VariableOp get(RandomOp op);

private:
  ModuleOp module;
  /// Ops of each function so far.
  llvm::DenseMap<Operation *, unsigned> counts;
  /// The streams of each object.
  llvm::StringMap<SmallVector<VariableOp>> owned;
};
} // namespace

VariableOp Streams::get(RandomOp op) {
  auto type = RankedTensorType::get({2}, IntegerType::get(op.getContext(), 64));
  auto start =
      StreamAttr::get(op.getContext(), op.getDistribution().getStreamSeed());
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto owner = function ? function->getAttrOfType<StringAttr>(kStreamsAttrName)
                        : nullptr;
  if (!owner)
    return declareVariable(module, op.getLoc(), "random", type, start);
  SmallVector<VariableOp> &streams = owned[owner.getValue()];
  unsigned number = counts[function]++;
  // Another function of this object has drawn from it already. One that begins
  // otherwise is another stream.
  if (number < streams.size() &&
      streams[number].getInitialValueAttr() == Attribute(start))
    return streams[number];
  VariableOp stream = declareVariable(
      module, op.getLoc(), owner.getValue() + "/random", type, start);
  if (number == streams.size())
    streams.push_back(stream);
  return stream;
}

/// Replaces one op by its stream and the arithmetic of its elements.
static void expandRandom(RandomOp op, Streams &streams) {
  Location loc = op.getLoc();
  OpBuilder b(op);
  InitializerAttrInterface distribution = op.getDistribution();
  auto type = cast<RankedTensorType>(op.getType());
  VariableOp stream = streams.get(op);
  RankedTensorType streamType = stream.getTensorType();
  auto symbol = FlatSymbolRefAttr::get(stream.getSymNameAttr());

  Value state = ReadOp::create(b, loc, streamType, symbol);
  auto get = [&](int64_t index) -> Value {
    Value position = arith::ConstantIndexOp::create(b, loc, index);
    return tensor::ExtractOp::create(b, loc, state, position);
  };
  Value opSeed = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  Value key = StreamKeyOp::create(b, loc, get(0), get(1), opSeed);
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

/// Emits the mask of the elements of `x` that a dropout keeps: a tensor of i1.
static Value drawMask(OpBuilder &b, DropoutOp op, ValueRange sizes) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getX().getType()).clone(b.getF32Type());
  auto distribution = RandomUniformAttr::get(op.getContext(), Real(0.0),
                                             Real(1.0), op.getSeed());
  Value draws = RandomOp::create(b, loc, type, distribution, sizes);
  Value rate =
      flywheel::nn::buildSplat(b, loc, draws, op.getRate().convertToDouble());
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, draws, rate);
}

/// Replaces one op by draws, which only happen while training, and a choice
/// that both ways share: the derivative needs no branch.
static void expandDropout(DropoutOp op) {
  Location loc = op.getLoc();
  OpBuilder b(op);
  double rate = op.getRate().convertToDouble();
  if (rate == 0.0) {
    op.replaceAllUsesWith(op.getX());
    op.erase();
    return;
  }
  SmallVector<Value> sizes;
  auto type = cast<RankedTensorType>(op.getX().getType());
  for (auto [dim, dimSize] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(dimSize))
      sizes.push_back(tensor::DimOp::create(b, loc, op.getX(), dim));
  flywheel::ElementwiseExpr x = flywheel::nn::widen(b, loc, op.getX());
  flywheel::ElementwiseExpr kept = x * (1.0 / (1.0 - rate));
  Value mask;
  if (Value training = op.getTraining()) {
    if (isa<RankedTensorType>(training.getType()))
      training = tensor::ExtractOp::create(b, loc, training, ValueRange());
    auto branch = scf::IfOp::create(
        b, loc, training,
        [&](OpBuilder &nested, Location) {
          scf::YieldOp::create(nested, loc, drawMask(nested, op, sizes));
        },
        [&](OpBuilder &nested, Location) {
          Value yes =
              arith::ConstantOp::create(nested, loc, nested.getBoolAttr(true));
          Value all = tensor::SplatOp::create(nested, loc, yes,
                                              type.clone(b.getI1Type()), sizes);
          scf::YieldOp::create(nested, loc, all);
        });
    mask = branch.getResult(0);
    kept = kept.with(arith::SelectOp::create(b, loc, training, kept, x));
  } else {
    mask = drawMask(b, op, sizes);
  }
  flywheel::ElementwiseExpr y =
      flywheel::ElementwiseExpr(b, loc, mask).select(kept, kept.splat(0.0));
  op.replaceAllUsesWith(flywheel::nn::roundTo(b, loc, y, type));
  op.erase();
}

namespace {
struct TrainExpandRandom
    : flywheel::train::impl::TrainExpandRandomBase<TrainExpandRandom> {
  void runOnOperation() override {
    SmallVector<DropoutOp> dropouts;
    getOperation().walk([&](DropoutOp op) { dropouts.push_back(op); });
    for (DropoutOp op : dropouts)
      expandDropout(op);
    SmallVector<RandomOp> ops;
    getOperation().walk([&](RandomOp op) { ops.push_back(op); });
    Streams streams(getOperation());
    for (RandomOp op : ops)
      expandRandom(op, streams);
    getOperation().walk([](FunctionOpInterface function) {
      function->removeAttr(kStreamsAttrName);
    });
  }
};
} // namespace
