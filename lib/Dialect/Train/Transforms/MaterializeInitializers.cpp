//===- MaterializeInitializers.cpp - The function that initialises --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/RandomStream.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_MATERIALIZEINITIALIZERS
#include "flywheel/Dialect/Train/TrainPasses.h.inc"
} // namespace flywheel::train

using namespace flywheel::train;

/// Emits the row-major position of the current element of a `linalg.generic`
/// over `shape`, as i64.
static Value buildLinearIndex(OpBuilder &b, Location loc,
                              ArrayRef<int64_t> shape) {
  Value position = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    Value size = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(extent));
    Value index = linalg::IndexOp::create(b, loc, dim);
    index = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
    position = arith::MulIOp::create(b, loc, position, size);
    position = arith::AddIOp::create(b, loc, position, index);
  }
  return position;
}

/// Emits the initial value of `variable` as a tensor of its storage type.
static Value buildInitialValue(OpBuilder &b, VariableOp variable, Value seed,
                               Value run) {
  Location loc = variable.getLoc();
  RankedTensorType type = variable.getTensorType();
  RankedTensorType storage = getStorageType(type);
  Attribute value = variable.getInitialValueOrDefault();
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return arith::ConstantOp::create(b, loc,
                                     dense.bitcast(storage.getElementType()));

  auto initializer = cast<InitializerAttrInterface>(value);
  int64_t opSeed = initializer.getStreamSeed().value_or(
      getDefaultStreamSeed(variable.getSymName()));
  Value key = buildStreamKey(b, loc, seed, opSeed, run);
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(),
                                        storage.getElementType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{storage}, ValueRange{}, ValueRange{empty},
      ArrayRef<AffineMap>{identity}, iterators,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange) {
        Value index = buildLinearIndex(nested, nestedLoc, type.getShape());
        linalg::YieldOp::create(
            nested, nestedLoc,
            initializer.buildElement(nested, nestedLoc, type, index, key));
      });
  return generic.getResult(0);
}

namespace {
struct MaterializeInitializers
    : flywheel::train::impl::MaterializeInitializersBase<
          MaterializeInitializers> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto variables = llvm::to_vector(module.getOps<VariableOp>());
    if (variables.empty())
      return;
    if (Operation *other = module.lookupSymbol("init")) {
      other->emitError() << "expected no symbol named 'init': the module's "
                            "initializer takes this name";
      return signalPassFailure();
    }

    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto scalar = RankedTensorType::get({}, b.getI64Type());
    Location loc = module.getLoc();
    auto init = func::FuncOp::create(b, loc, "init",
                                     b.getFunctionType({scalar, scalar}, {}));
    StringRef nameAttr = TrainDialect::getNameAttrName();
    init.setArgAttr(0, nameAttr, b.getStringAttr("seed"));
    init.setArgAttr(1, nameAttr, b.getStringAttr("run"));
    Block *body = init.addEntryBlock();
    b.setInsertionPointToStart(body);
    Value seed = tensor::ExtractOp::create(b, loc, body->getArgument(0));
    Value run = tensor::ExtractOp::create(b, loc, body->getArgument(1));
    for (VariableOp variable : variables) {
      RankedTensorType type = variable.getTensorType();
      Value value = buildInitialValue(b, variable, seed, run);
      if (value.getType() != type)
        value = tensor::BitcastOp::create(b, variable.getLoc(), type, value);
      AssignOp::create(b, variable.getLoc(), type,
                       FlatSymbolRefAttr::get(variable.getSymNameAttr()),
                       value);
    }
    func::ReturnOp::create(b, loc);
  }
};
} // namespace
