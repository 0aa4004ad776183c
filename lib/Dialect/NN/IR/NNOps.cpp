//===- NNOps.cpp - Ops of the nn dialect, and what they share -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Ops/CommonBatching.h"
#include "NNSupport.h"

#include "flywheel/Dialect/NN/NN.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;

/// Parses an optional `l2`, a number or a value.
static ParseResult
parseDamping(OpAsmParser &parser,
             std::optional<OpAsmParser::UnresolvedOperand> &damping,
             FloatAttr &l2) {
  Type type = parser.getBuilder().getF64Type();
  l2 = FloatAttr::get(type, 0.0);
  if (failed(parser.parseOptionalKeyword("l2")))
    return success();
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult result = parser.parseOptionalOperand(operand);
  if (!result.has_value())
    return parser.parseAttribute(l2, type);
  damping = operand;
  return *result;
}

static void printDamping(OpAsmPrinter &printer, Operation *, Value damping,
                         FloatAttr l2) {
  if (damping)
    printer << " l2 " << damping;
  else if (l2 && !l2.getValue().isPosZero()) {
    printer << " l2 ";
    printer.printAttributeWithoutType(l2);
  }
}

#define GET_OP_CLASSES
#include "flywheel/Dialect/NN/NNOps.cpp.inc"

LogicalResult nn::verifyComputable(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && tensor.getEncoding())
    return op->emitOpError()
           << "expected tensors without encoding, found " << tensor;
  Type element = getElementTypeOrSelf(type);
  if (element.isF16() || element.isBF16() || element.isF32() ||
      element.isF64() || element.isSignlessIntOrIndex())
    return success();
  return op->emitOpError()
         << "expected element types of f16, bf16, f32, f64 or "
            "signless integers, found "
         << type;
}

LogicalResult nn::verifySameDimSizes(OpErrors op, StringRef what,
                                     ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  for (auto [left, right] : llvm::zip_equal(a, b))
    if (left != right && !ShapedType::isDynamic(left) &&
        !ShapedType::isDynamic(right))
      return op.emitOpError() << "expected equal " << what << ", found " << left
                              << " and " << right;
  return success();
}

LogicalResult nn::verifyResultShape(OpErrors op, Value result,
                                    ArrayRef<int64_t> shape) {
  auto expected =
      RankedTensorType::get(shape, nn::tensorOf(result).getElementType());
  if (succeeded(verifyCompatibleShape(expected, result.getType())))
    return success();
  return op.emitOpError() << "expected a result of type " << expected
                          << ", found " << result.getType();
}

LogicalResult nn::verifySameElementType(Operation *op) {
  Type first = getElementTypeOrSelf(op->getOperand(0));
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                                      SmallVector<Type>(op->getResultTypes())))
    if (getElementTypeOrSelf(type) != first)
      return op->emitOpError() << "expected one element type, found " << first
                               << " and " << getElementTypeOrSelf(type);
  return success();
}

LogicalResult nn::verifyAxis(OpErrors op, int64_t axis, Value value) {
  return verifyDims(op, "axis", axis, tensorOf(value).getRank());
}

LogicalResult nn::verifyNumeric(OpErrors op, Value value) {
  if (!getElementTypeOrSelf(value).isInteger(1))
    return success();
  return op.emitOpError() << "expected a numeric element type, found "
                          << value.getType();
}

TypedAttr nn::getLowestNumber(OpBuilder &b, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type, APFloat::getInf(floatType.getFloatSemantics(),
                                                /*Negative=*/true));
  unsigned width = type.getIntOrFloatBitWidth();
  // Truth values are ordered false < true.
  return b.getIntegerAttr(type, width == 1 ? APInt::getZero(1)
                                           : APInt::getSignedMinValue(width));
}

TypedAttr nn::getHighestNumber(OpBuilder &b, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type, APFloat::getInf(floatType.getFloatSemantics()));
  unsigned width = type.getIntOrFloatBitWidth();
  return b.getIntegerAttr(type, width == 1 ? APInt::getAllOnes(1)
                                           : APInt::getSignedMaxValue(width));
}

SmallVector<int64_t> nn::shifted(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [](int64_t dim) { return dim + 1; });
}

Value nn::buildReduce(OpBuilder &b, Location loc, ReductionKind kind,
                      Value input, ArrayRef<int64_t> axes) {
  if (axes.empty())
    return input;
  RankedTensorType type = tensorOf(input);
  SmallVector<int64_t> shape;
  for (int64_t dim : otherDims(axes, type.getRank()))
    shape.push_back(type.getDimSize(dim));
  return ReduceOp::create(b, loc,
                          RankedTensorType::get(shape, type.getElementType()),
                          kind, input, axes, /*keepdims=*/false);
}

std::pair<Value, Value> nn::castToCommonType(OpBuilder &b, Location loc,
                                             Value lhs, Value rhs) {
  SmallVector<int64_t> shape(tensorOf(lhs).getShape());
  for (auto [dimSize, other] : llvm::zip_equal(shape, tensorOf(rhs).getShape()))
    if (dimSize != other)
      dimSize = ShapedType::kDynamic;
  auto cast = [&](Value value) {
    return buildCast(b, loc, value, tensorOf(value).clone(shape));
  };
  return {cast(lhs), cast(rhs)};
}
