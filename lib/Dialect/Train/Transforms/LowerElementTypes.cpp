//===- LowerElementTypes.cpp - Unsigned integers to signless ones ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Dialect/Train/TrainPasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_LOWERELEMENTTYPES
#include "flywheel/Dialect/Train/TrainPasses.h.inc"
} // namespace flywheel::train

using namespace flywheel;
using namespace flywheel::train;

/// Whether `op` does the same with elements of any type. The bodies of `linalg`
/// and `scf` ops are checked op by op.
static bool isIndependentOfElementType(Operation *op) {
  return isa<arith::SelectOp, nn::BroadcastOp>(op) ||
         isa<func::FuncDialect, linalg::LinalgDialect, scf::SCFDialect,
             tensor::TensorDialect, TrainDialect>(op->getDialect());
}

namespace {
struct LowerElementTypes
    : flywheel::train::impl::LowerElementTypesBase<LowerElementTypes> {
  void runOnOperation() override {
    types.addReplacement([](IntegerType type) -> std::optional<Type> {
      return getStorageElementType(type);
    });
    for (auto variable : getOperation().getOps<VariableOp>())
      lowerVariable(variable);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isStep(function) && failed(lowerFunction(function)))
        return signalPassFailure();
  }

private:
  /// What is refused later is left as the user wrote it.
  static bool isStep(func::FuncOp function) {
    auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
    return !function.isExternal() &&
           llvm::all_of(function.getArgumentTypes(), isTensor) &&
           llvm::all_of(function.getResultTypes(), isTensor);
  }

  Type lower(Type type) { return types.replace(type); }
  bool isLowered(Type type) { return lower(type) != type; }

  void lowerVariable(VariableOp variable) {
    RankedTensorType type = variable.getTensorType();
    if (!isLowered(type))
      return;
    variable.setElementType(type.getElementType());
    variable.setType(getStorageType(type));
    variable.removeInitialValueAttr();
  }

  LogicalResult verifyOp(Operation *op) {
    if (isIndependentOfElementType(op))
      return success();
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (isLowered(type))
        return op->emitOpError()
               << "expected operands and results of signless integers or "
                  "floating-point numbers, found "
               << type << ": use tensor.bitcast to make them signless";
    return success();
  }

  void lowerSignature(func::FuncOp function) {
    StringRef name = TrainDialect::getElementTypeAttrName();
    auto getDeclared = [](Type type) {
      return TypeAttr::get(getElementTypeOrSelf(type));
    };
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isLowered(type))
        function.setArgAttr(i, name, getDeclared(type));
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      if (isLowered(type))
        function.setResultAttr(i, name, getDeclared(type));
    function.setFunctionType(
        cast<FunctionType>(lower(function.getFunctionType())));
  }

  LogicalResult lowerFunction(func::FuncOp function) {
    WalkResult verified =
        function.walk([&](Operation *op) { return WalkResult(verifyOp(op)); });
    if (verified.wasInterrupted())
      return failure();
    lowerSignature(function);
    function.walk([&](Operation *op) {
      for (Value result : op->getResults())
        result.setType(lower(result.getType()));
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          argument.setType(lower(argument.getType()));
    });
    function.walk([&](tensor::BitcastOp op) { lowerBitcast(op); });
    return success();
  }

  /// Nothing is left of a change of sign; a change of kind is elementwise.
  void lowerBitcast(tensor::BitcastOp op) {
    OpBuilder b(op);
    Value value = op.getSource();
    auto source = cast<TensorType>(value.getType());
    auto dest = cast<TensorType>(op.getType());
    auto reshaped = cast<TensorType>(dest.clone(source.getElementType()));
    if (reshaped != source)
      value = tensor::CastOp::create(b, op.getLoc(), reshaped, value);
    if (reshaped != dest)
      value = arith::BitcastOp::create(b, op.getLoc(), dest, value);
    op.replaceAllUsesWith(value);
    op.erase();
  }

  AttrTypeReplacer types;
};
} // namespace
