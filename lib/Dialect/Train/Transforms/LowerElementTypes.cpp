//===- LowerElementTypes.cpp - Elements as memory holds them --------------===//
//------------------===//
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
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace flywheel::train {
#define GEN_PASS_DEF_LOWERELEMENTTYPES
#include "flywheel/Dialect/Train/TrainPasses.h.inc"
} // namespace flywheel::train

using namespace flywheel;
using namespace flywheel::train;

/// Returns true if `op` does the same with elements of any type. The bodies of
/// `linalg` and `scf` ops are checked op by op.
static bool isIndependentOfElementType(Operation *op) {
  return isa<arith::SelectOp, nn::BroadcastOp, nn::CheckIndicesOp>(op) ||
         isa<func::FuncDialect, linalg::LinalgDialect, scf::SCFDialect,
             tensor::TensorDialect, TrainDialect>(op->getDialect());
}

namespace {
struct LowerElementTypes
    : flywheel::train::impl::LowerElementTypesBase<LowerElementTypes> {
  void runOnOperation() override {
    if (getOperation()->hasAttr(TrainDialect::getStringsAttrName())) {
      getOperation().emitOpError()
          << "expected no attribute '" << TrainDialect::getStringsAttrName()
          << "': this pass attaches it";
      return signalPassFailure();
    }
    types.addReplacement([](IntegerType type) -> std::optional<Type> {
      return getStorageElementType(type);
    });
    types.addReplacement([](StringType type) -> std::optional<Type> {
      return getStorageElementType(type);
    });
    for (auto variable : getOperation().getOps<VariableOp>())
      lowerVariable(variable);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isStep(function) && failed(lowerFunction(function)))
        return signalPassFailure();
    if (!strings.empty())
      getOperation()->setAttr(
          TrainDialect::getStringsAttrName(),
          ArrayAttr::get(&getContext(),
                         llvm::to_vector(llvm::make_first_range(strings))));
  }

private:
  /// Returns true if `function` is a step. Functions that are refused later
  /// stay as the user wrote them.
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
    variable.getInitializer().dropAllReferences();
    variable.getInitializer().getBlocks().clear();
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
               << type
               << ": tensor.bitcast makes unsigned ones signless, and strings "
                  "are only moved and compared";
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
    function.walk([&](Operation *op) {
      if (auto bitcast = dyn_cast<tensor::BitcastOp>(op))
        lowerBitcast(bitcast);
      else if (auto constant = dyn_cast<StringConstantOp>(op))
        lowerConstant(constant);
      else if (auto equal = dyn_cast<StringEqualOp>(op))
        lowerEqual(equal);
    });
    return success();
  }

  /// Returns the number of a string: equal strings have the same one.
  int64_t getNumber(StringAttr text) {
    if (text.empty())
      return 0;
    return strings.insert({text, strings.size() + 1}).first->second;
  }

  void lowerConstant(StringConstantOp op) {
    OpBuilder b(op);
    auto type = cast<RankedTensorType>(lower(op.getType()));
    SmallVector<int64_t> numbers;
    for (auto text : op.getValues().getAsRange<StringAttr>())
      numbers.push_back(getNumber(text));
    op.replaceAllUsesWith(buildNumbers(b, op.getLoc(), type, numbers));
    op.erase();
  }

  /// Builds a constant of `numbers`. The last number repeats; a single one is a
  /// splat. If a large tensor has a shorter list, the list is inserted into a
  /// splat constant, which takes no space in the object.
  static Value buildNumbers(OpBuilder &b, Location loc, RankedTensorType type,
                            SmallVector<int64_t> numbers) {
    int64_t count = numbers.size(), total = type.getNumElements();
    constexpr int64_t maxListed = 64;
    if (count > 1 && total <= maxListed) {
      numbers.resize(total, numbers.back());
      count = total;
    }
    if (count <= 1 || count == total)
      return arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type, ArrayRef(numbers)));
    auto flat = RankedTensorType::get({total}, type.getElementType());
    auto first = RankedTensorType::get({count}, type.getElementType());
    Value rest = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(flat, numbers.back()));
    Value given = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(first, ArrayRef(numbers)));
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    OpFoldResult size = b.getIndexAttr(count);
    Value value =
        tensor::InsertSliceOp::create(b, loc, given, rest, zero, size, one);
    if (type == flat)
      return value;
    ReassociationIndices all =
        llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
    return tensor::ExpandShapeOp::create(b, loc, type, value,
                                         ArrayRef<ReassociationIndices>(all));
  }

  static Value buildComparison(OpBuilder &b, StringEqualOp op) {
    return arith::CmpIOp::create(b, op.getLoc(), arith::CmpIPredicate::eq,
                                 op.getA(), op.getB());
  }

  /// Builds the comparison of a string with itself. Upstream would fold it to a
  /// constant even if its dimension sizes are dynamic.
  static Value buildTrue(OpBuilder &b, StringEqualOp op) {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Value isTrue = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    SmallVector<Value> dimSizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        dimSizes.push_back(tensor::DimOp::create(b, loc, op.getA(), dim));
    return tensor::SplatOp::create(b, loc, type, isTrue, dimSizes);
  }

  void lowerEqual(StringEqualOp op) {
    OpBuilder b(op);
    Value value =
        op.getA() == op.getB() ? buildTrue(b, op) : buildComparison(b, op);
    op.replaceAllUsesWith(value);
    op.erase();
  }

  /// Lowers a bitcast. A change of sign needs no op; a change of kind is
  /// elementwise.
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
  /// Strings and their numbers, which count from 1.
  llvm::MapVector<Attribute, int64_t> strings;
};
} // namespace
