//===- LinalgEmitter.cpp - Emits the linalg form of one op ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Verifiers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace flywheel;

Value flywheel::widen(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type ? value
                                 : arith::ExtFOp::create(b, loc, type, value);
}

/// Casts `value` to a tensor of `type`, which is more or less static.
static Value castTo(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type
             ? value
             : Value(tensor::CastOp::create(b, loc, type, value));
}

Value flywheel::narrow(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type ? value
                                 : arith::TruncFOp::create(b, loc, type, value);
}

Value flywheel::toIndex(OpBuilder &b, Location loc, Value integer) {
  if (integer.getType().isInteger(1))
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), integer);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), integer);
}

TypedAttr flywheel::getSplat(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return {};
  return dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>());
}

Type LinalgEmitter::getComputeType(Type type) {
  return type.isF16() || type.isBF16() ? b.getF32Type() : type;
}

//===----------------------------------------------------------------------===//
// Dimension sizes
//===----------------------------------------------------------------------===//

DimSize LinalgEmitter::getDimSize(Value tensor, int64_t dim) {
  // Steps of the look-up are bounded: graph regions may hold cycles.
  for (int step = 0; step < 64; ++step) {
    if (!tensorOf(tensor).isDynamicDim(dim))
      return DimSize::constant(tensorOf(tensor).getDimSize(dim));
    Operation *producer = tensor.getDefiningOp();
    if (auto cast = dyn_cast_or_null<tensor::CastOp>(producer);
        cast && isa<RankedTensorType>(cast.getSource().getType())) {
      tensor = cast.getSource();
      continue;
    }
    if (auto styled = dyn_cast_or_null<DestinationStyleOpInterface>(producer)) {
      tensor = styled.getTiedOpOperand(cast<OpResult>(tensor))->get();
      continue;
    }
    auto empty = dyn_cast_or_null<tensor::EmptyOp>(producer);
    if (!empty)
      break;
    Value size = empty.getDynamicSize(dim);
    if (std::optional<int64_t> number = getConstantIntValue(size))
      // A negative size is an error of the step: types have none.
      return *number < 0 ? DimSize{0, size, false} : DimSize::constant(*number);
    auto source = size.getDefiningOp<tensor::DimOp>();
    std::optional<int64_t> index =
        source ? linalg_ext::getDimension(source) : std::nullopt;
    if (!index)
      return {0, size, false};
    tensor = source.getSource();
    dim = *index;
  }
  return {dim, tensor, true};
}

SmallVector<DimSize> LinalgEmitter::getDimSizes(Value tensor) {
  SmallVector<DimSize> dimSizes;
  for (int64_t dim = 0, rank = tensorOf(tensor).getRank(); dim < rank; ++dim)
    dimSizes.push_back(getDimSize(tensor, dim));
  return dimSizes;
}

OpFoldResult LinalgEmitter::materialize(DimSize dimSize) {
  if (dimSize.isStatic())
    return b.getIndexAttr(dimSize.number);
  if (!dimSize.isDimension)
    return dimSize.value;
  // Created, not folded: folding would follow cyclic casts, which a graph
  // region allows, forever.
  return tensor::DimOp::create(b, loc, dimSize.value, dimSize.number)
      .getResult();
}

void LinalgEmitter::expect(Value ok, const Twine &expected, const Twine &found,
                           const linalg_ext::NamedNumbers &numbers) {
  linalg_ext::createCheck(b, op, linalg_ext::CheckKind::data, ok, expected,
                          found, numbers)
      .setSafe(true);
}

void LinalgEmitter::expectInRange(Value indices, DimSize dimSize,
                                  StringRef what, const Twine &which) {
  Value limit = getValueOrCreateConstantIndexOp(b, loc, materialize(dimSize));
  Value yes = scalar(b.getBoolAttr(true));
  int64_t rank = tensorOf(indices).getRank();
  Value inRange =
      generic(indices, fill({}, yes), {identity(rank), select(rank, {})},
              [&](OpBuilder &nested, Location at, ValueRange args) {
                // A negative index is a large unsigned number.
                Value below =
                    arith::CmpIOp::create(nested, at, arith::CmpIPredicate::ult,
                                          toIndex(nested, at, args[0]), limit);
                return arith::AndIOp::create(nested, at, args[1], below);
              });
  Value ok = tensor::ExtractOp::create(b, loc, inRange, ValueRange());
  // An index of fewer bits is the same one, but for a truth value.
  for (auto wider = indices.getDefiningOp<arith::ExtSIOp>();
       wider && !getElementTypeOrSelf(wider.getIn()).isInteger(1);
       wider = indices.getDefiningOp<arith::ExtSIOp>())
    indices = wider.getIn();
  Value outside = linalg_ext::FindOutsideOp::create(b, loc, ok, indices, limit);
  linalg_ext::NamedNumbers numbers;
  std::string index = numbers.add(outside), bound = numbers.add(limit);
  expect(ok,
         what + which + " out of range: expected 0 <= " + what + " < " + bound,
         ", found " + index, numbers);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value LinalgEmitter::scalar(TypedAttr value) {
  return arith::ConstantOp::create(b, loc, value);
}

Value LinalgEmitter::scalar(Type type, double value) {
  if (isa<FloatType>(type))
    return scalar(b.getFloatAttr(type, value));
  return scalar(b.getIntegerAttr(type, static_cast<int64_t>(value)));
}

Value LinalgEmitter::countOf(ArrayRef<DimSize> dimSizes, Type type) {
  double known = 1.0;
  Value unknown;
  for (DimSize dimSize : dimSizes) {
    if (dimSize.isStatic()) {
      known *= static_cast<double>(dimSize.number);
      continue;
    }
    Value size = getValueOrCreateConstantIndexOp(b, loc, materialize(dimSize));
    unknown =
        unknown ? arith::MulIOp::create(b, loc, unknown, size) : Value(size);
  }
  if (!unknown)
    return scalar(type, known);
  Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), unknown);
  Value number = arith::SIToFPOp::create(b, loc, type, integer);
  if (known == 1.0)
    return number;
  return arith::MulFOp::create(b, loc, number, scalar(type, known));
}

Value LinalgEmitter::refine(Value tensor, ArrayRef<DimSize> dimSizes) {
  SmallVector<int64_t> shape(tensorOf(tensor).getShape());
  for (auto [declared, dimSize] : llvm::zip_equal(shape, dimSizes))
    if (dimSize.isStatic())
      declared = dimSize.number;
  return castTo(b, loc, tensor, tensorOf(tensor).clone(shape));
}

Value LinalgEmitter::expand(Value tensor, RankedTensorType type,
                            ArrayRef<ReassociationIndices> groups,
                            ArrayRef<DimSize> dimSizes) {
  // The sizes are only as static as the type; other known sizes fold later.
  SmallVector<OpFoldResult> sizes;
  for (auto [declared, dimSize] : llvm::zip_equal(type.getShape(), dimSizes)) {
    OpFoldResult size = materialize(dimSize);
    if (ShapedType::isDynamic(declared))
      size = getValueOrCreateConstantIndexOp(b, loc, size);
    sizes.push_back(size);
  }
  return tensor::ExpandShapeOp::create(b, loc, type, tensor, groups, sizes);
}

Value LinalgEmitter::empty(ArrayRef<DimSize> dimSizes, Type type) {
  SmallVector<OpFoldResult> sizes;
  for (DimSize dimSize : dimSizes)
    sizes.push_back(materialize(dimSize));
  return tensor::EmptyOp::create(b, loc, sizes, type);
}

Value LinalgEmitter::fill(ArrayRef<DimSize> dimSizes, Value value) {
  return linalg::FillOp::create(b, loc, value, empty(dimSizes, value.getType()))
      .getResult(0);
}

Value LinalgEmitter::argsort(Value indices, DimSize limit) {
  using linalg_ext::ArgsortOp;
  SmallVector<DimSize> count = getDimSizes(indices);
  Type type = b.getI64Type();
  Value order = empty(count, type), spare = empty(count, type);
  Value counts = empty(DimSize::constant(ArgsortOp::kNumCounts), type);
  Value below = getValueOrCreateConstantIndexOp(b, loc, materialize(limit));
  SmallVector<Type> types = {order.getType(), spare.getType(),
                             counts.getType()};
  return ArgsortOp::create(b, loc, types, indices, below, order, spare, counts)
      .getResult(0);
}

Value LinalgEmitter::generic(ValueRange inputs, Value init,
                             ArrayRef<AffineMap> maps, PointFn body) {
  SmallVector<utils::IteratorType> iterators(maps.back().getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : maps.back().getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  return linalg::GenericOp::create(
             b, loc, TypeRange{init.getType()}, inputs, ValueRange{init}, maps,
             iterators,
             [&](OpBuilder &nested, Location at, ValueRange args) {
               linalg::YieldOp::create(nested, at, body(nested, at, args));
             })
      .getResult(0);
}

Value LinalgEmitter::map(ArrayRef<DimSize> dimSizes, Type type,
                         ValueRange inputs, ArrayRef<AffineMap> maps,
                         PointFn body) {
  SmallVector<AffineMap> all(maps);
  all.push_back(identity(dimSizes.size()));
  return generic(inputs, empty(dimSizes, type), all, body);
}

AffineMap LinalgEmitter::select(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : dims)
    exprs.push_back(b.getAffineDimExpr(dim));
  return AffineMap::get(rank, 0, exprs, b.getContext());
}

AffineMap LinalgEmitter::identity(int64_t rank) {
  return b.getMultiDimIdentityMap(rank);
}

Value LinalgEmitter::widenTensor(Value value) {
  Type compute = getComputeType(getElementTypeOrSelf(value));
  if (compute == getElementTypeOrSelf(value))
    return value;
  SmallVector<DimSize> dimSizes = getDimSizes(value);
  return map(dimSizes, compute, value, {identity(dimSizes.size())},
             [&](OpBuilder &nested, Location at, ValueRange args) {
               return widen(nested, at, args[0], compute);
             });
}

Value LinalgEmitter::narrowTensor(Value value, Type type) {
  if (tensorOf(value).getElementType() == type)
    return value;
  return map(getDimSizes(value), type, value,
             {identity(tensorOf(value).getRank())},
             [&](OpBuilder &nested, Location at, ValueRange args) {
               return narrow(nested, at, args[0], type);
             });
}

void LinalgEmitter::replaceWith(Value value) {
  Type declared = op->getResult(0).getType();
  auto shape = cast<RankedTensorType>(declared).getShape();
  // A check of the sizes always fails then, and any value will do.
  if (!tensor::CastOp::areCastCompatible(value.getType(), declared)) {
    SmallVector<DimSize> dimSizes = getDimSizes(value);
    for (auto [dimSize, number] : llvm::zip_equal(dimSizes, shape))
      if (!ShapedType::isDynamic(number))
        dimSize = DimSize::constant(number);
    value = fill(dimSizes, scalar(getElementTypeOrSelf(declared), 0));
  }
  b.replaceOp(op, castTo(b, loc, value, declared));
}
