//===- WorkspaceSizes.cpp - Bounds of the sizes of buffers ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkspacePlan.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/Train/FunctionArgument.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Model/Manifest.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace flywheel;
using flywheel::train::FunctionArgument;
using flywheel::train::TrainDialect;

std::optional<unsigned> WorkspaceSizes::getSymbol(Value value, int64_t dim) {
  std::optional<FunctionArgument> argument = FunctionArgument::get(value);
  int64_t symbol = argument ? argument->getDimSymbol(dim) : -1;
  if (symbol < 0 || symbol >= static_cast<int64_t>(bounds.size()))
    return std::nullopt;
  return symbol;
}

WorkspaceSizes::WorkspaceSizes(func::FuncOp function,
                               const DimSizeBounds &given)
    : function(function), others(given.others) {
  if (auto symbols = function->getAttrOfType<ArrayAttr>(
          TrainDialect::getSymbolsAttrName()))
    for (auto name : symbols.getAsRange<StringAttr>()) {
      names.push_back(name.str());
      bounds.push_back(given.lookup(name));
    }
}

unsigned WorkspaceSizes::getNumSymbols() { return bounds.size(); }

CheckedSize WorkspaceSizes::evaluate(AffineExpr bytes) {
  return evaluateLargestSize(bytes, bounds);
}

int64_t WorkspaceSizes::getLargestDimSize() {
  return bounds.empty() ? others : *llvm::max_element(bounds);
}

std::string WorkspaceSizes::describeDimSizes() {
  return flywheel::describeDimSizes(names, bounds);
}

DimSizeBounds flywheel::parseDimSizeBounds(int64_t dimSize,
                                           ArrayRef<std::string> named) {
  DimSizeBounds bounds = dimSize;
  // The sizes are only used for comparison, so an invalid one cannot cause an
  // error later.
  for (StringRef text : named)
    llvm::consumeError(bounds.add(text));
  return bounds;
}

/// Returns `expr` with a symbol, from `numSymbols` on, for each product of two
/// unknown numbers: equal products are equal symbols.
static AffineExpr nameProducts(AffineExpr expr, unsigned numSymbols) {
  llvm::DenseMap<AffineExpr, AffineExpr> names;
  expr.walk([&](AffineExpr part) {
    auto product = dyn_cast<AffineBinaryOpExpr>(part);
    if (product && product.getKind() == AffineExprKind::Mul &&
        !isa<AffineConstantExpr>(product.getLHS()) &&
        !isa<AffineConstantExpr>(product.getRHS()))
      names.try_emplace(part, getAffineSymbolExpr(numSymbols + names.size(),
                                                  expr.getContext()));
  });
  return expr.replace(names);
}

/// Replaces the map of a size that decreases along a loop by that of the first
/// iteration. Returns the largest value if it is a constant: the rest of a
/// dimension after whole tiles is less than a tile, whatever the dimension size
/// is.
static std::optional<int64_t>
startAtLowerBounds(AffineMap &map, SmallVectorImpl<Value> &operands) {
  MLIRContext *context = map.getContext();
  for (unsigned i = 0; i < map.getNumDims(); ++i) {
    auto argument = dyn_cast<BlockArgument>(operands[i]);
    auto loop = argument
                    ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                    : scf::ForOp();
    AffineExpr dim = getAffineDimExpr(i, context);
    AffineExpr rest = simplifyAffineExpr(map.getResult(0) + dim,
                                         map.getNumDims(), map.getNumSymbols());
    if (loop && argument == loop.getInductionVar() && !rest.isFunctionOfDim(i))
      operands[i] = loop.getLowerBound();
  }
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  affine::canonicalizeMapAndOperands(&map, &operands);
  AffineExpr named = nameProducts(map.getResult(0), map.getNumSymbols());
  named = simplifyAffineExpr(named, map.getNumDims(),
                             map.getNumSymbols() + map.getNumInputs());
  if (auto constant = dyn_cast<AffineConstantExpr>(named))
    return constant.getValue();
  auto remainder = dyn_cast<AffineBinaryOpExpr>(named);
  if (!remainder || remainder.getKind() != AffineExprKind::Mod)
    return std::nullopt;
  if (auto tile = dyn_cast<AffineConstantExpr>(remainder.getRHS()))
    return tile.getValue() - 1;
  return std::nullopt;
}

/// Returns true if a check before `op` makes the function return an error when
/// `condition` does not hold.
static bool isCheckedInFrontOf(Value condition, Operation *op) {
  return llvm::any_of(condition.getUsers(), [&](Operation *user) {
    if (isa<arith::AndIOp>(user))
      return isCheckedInFrontOf(user->getResult(0), op);
    auto check = dyn_cast<linalg_ext::CheckOp>(user);
    if (!check || check.getOk() != condition ||
        !isa<func::FuncOp>(user->getParentOp()))
      return false;
    Operation *place = user->getBlock()->findAncestorOpInBlock(*op);
    return place && user->isBeforeInBlock(place);
  });
}

/// Returns the value that `user`, a comparison, states to be at least `size`;
/// null if it states none.
static Value getLarger(Operation *user, Value size) {
  if (auto compare = dyn_cast<linalg_ext::CompareSizesOp>(user)) {
    if (compare.getRhs() == size)
      return compare.getLhs();
    return compare.getPredicate() == linalg_ext::SizePredicate::eq
               ? compare.getRhs()
               : Value();
  }
  auto compare = dyn_cast<arith::CmpIOp>(user);
  if (!compare)
    return Value();
  bool isLeft = compare.getLhs() == size;
  Value other = isLeft ? compare.getRhs() : compare.getLhs();
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
    return other;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::slt:
    return isLeft ? other : Value();
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::sgt:
    return isLeft ? Value() : other;
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::ult:
    // A negative number is above all sizes here.
    return isLeft && other.getDefiningOp<memref::DimOp>() ? other : Value();
  default:
    return Value();
  }
}

/// Returns an upper bound of `size`, a size of `alloc`. If the analysis finds
/// none, a check before `alloc` may imply one; sizes that are values of tensors
/// have no other bound.
FailureOr<AffineExpr> WorkspaceSizes::getUpperBound(Value size,
                                                    memref::AllocOp alloc) {
  FailureOr<AffineExpr> bound = getUpperBound(size);
  if (succeeded(bound))
    return bound;
  for (Operation *user : size.getUsers()) {
    Value larger = getLarger(user, size);
    if (!larger || !isCheckedInFrontOf(user->getResult(0), alloc))
      continue;
    bound = getUpperBound(larger);
    if (succeeded(bound))
      return bound;
  }
  return failure();
}

/// Returns `expr` without a negative number that is added last: at least
/// `expr`.
static AffineExpr withoutReduction(AffineExpr expr) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || expr.getKind() != AffineExprKind::Add)
    return expr;
  auto added = dyn_cast<AffineConstantExpr>(sum.getRHS());
  return added && added.getValue() < 0 ? sum.getLHS() : expr;
}

/// Returns true if `size` is known to be non-negative.
static bool isNotNegative(Value size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant >= 0;
  Operation *op = size.getDefiningOp();
  if (isa_and_nonnull<memref::DimOp>(op))
    return true;
  if (isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::MinSIOp,
                      arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
                      arith::RemSIOp>(op) &&
      llvm::all_of(op->getOperands(), isNotNegative))
    return true;
  if (isa_and_nonnull<arith::MaxSIOp>(op) &&
      llvm::any_of(op->getOperands(), isNotNegative))
    return true;
  FailureOr<int64_t> least = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::LB, size);
  return succeeded(least) && *least >= 0;
}

/// Returns true if the product of upper bounds of `lhs` and `rhs` bounds their
/// product: the product of two negative numbers may be large.
bool WorkspaceSizes::canMultiplyBounds(Value lhs, Value rhs) {
  auto isExact = [&](Value size) {
    return succeeded(getLinearBound(size, presburger::BoundType::EQ));
  };
  return (isNotNegative(lhs) && isNotNegative(rhs)) ||
         (isExact(lhs) && isExact(rhs));
}

/// Returns an upper bound of `size` as a function of the symbolic dimension
/// sizes.
FailureOr<AffineExpr> WorkspaceSizes::getUpperBound(Value size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return getAffineConstantExpr(*constant, function.getContext());
  FailureOr<AffineExpr> bound = getLinearBound(size);
  if (succeeded(bound))
    return bound;
  if (auto product = size.getDefiningOp<arith::MulIOp>()) {
    if (!canMultiplyBounds(product.getLhs(), product.getRhs()))
      return failure();
    FailureOr<AffineExpr> lhs = getUpperBound(product.getLhs()),
                          rhs = getUpperBound(product.getRhs());
    if (failed(lhs) || failed(rhs))
      return failure();
    return *lhs * *rhs;
  }
  // A sum, and the larger of two non-negative bounds, are at most the sum of
  // both bounds.
  Operation *op = size.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::MaxSIOp>(op)) {
    FailureOr<AffineExpr> lhs = getUpperBound(op->getOperand(0)),
                          rhs = getUpperBound(op->getOperand(1));
    if (failed(lhs) || failed(rhs))
      return failure();
    if (isa<arith::MaxSIOp>(op) && (!isNeverNegative(*lhs, getNumSymbols()) ||
                                    !isNeverNegative(*rhs, getNumSymbols())))
      return failure();
    return *lhs + *rhs;
  }
  if (auto difference = size.getDefiningOp<arith::SubIOp>()) {
    if (!isNotNegative(difference.getRhs()))
      return failure();
    return getUpperBound(difference.getLhs());
  }
  // At most the smaller one, of which a bound may be known.
  if (isa_and_nonnull<arith::MinSIOp>(op)) {
    FailureOr<AffineExpr> lhs = getUpperBound(op->getOperand(0));
    return succeeded(lhs) ? lhs : getUpperBound(op->getOperand(1));
  }
  // Numbers that are not negative become no larger.
  if (isa_and_nonnull<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
                      arith::RemSIOp>(op) &&
      llvm::all_of(op->getOperands(), isNotNegative))
    return getUpperBound(op->getOperand(0));
  if (auto apply = size.getDefiningOp<affine::AffineApplyOp>()) {
    AffineMap map = apply.getAffineMap();
    SmallVector<Value> operands(apply.getMapOperands());
    if (std::optional<int64_t> rest = startAtLowerBounds(map, operands))
      return getAffineConstantExpr(*rest, function.getContext());
    return getExpressionBound(withoutReduction(map.getResult(0)),
                              map.getNumDims(), operands);
  }
  if (auto max = size.getDefiningOp<affine::AffineMaxOp>()) {
    // The sum of all candidates, if none of their bounds is negative.
    AffineExpr sum = getAffineConstantExpr(0, function.getContext());
    for (AffineExpr expr : max.getMap().getResults()) {
      FailureOr<AffineExpr> bound = getExpressionBound(
          withoutReduction(expr), max.getMap().getNumDims(), max.getOperands());
      if (failed(bound) || !isNeverNegative(*bound, getNumSymbols()))
        return failure();
      sum = sum + *bound;
    }
    return sum;
  }
  auto read = size.getDefiningOp<memref::DimOp>();
  std::optional<int64_t> dim = read ? read.getConstantIndex() : std::nullopt;
  auto type =
      read ? dyn_cast<MemRefType>(read.getSource().getType()) : MemRefType();
  if (!dim || !type || *dim < 0 || *dim >= type.getRank())
    return failure();
  return getDimSizeBound(read.getSource(), *dim);
}

/// Returns an upper bound of a sum of products whose factors are constants or
/// known to be non-negative. The first `numDims` of `operands` are dimensions,
/// the others symbols.
FailureOr<AffineExpr> WorkspaceSizes::getExpressionBound(AffineExpr expr,
                                                         unsigned numDims,
                                                         ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() < 0 ? FailureOr<AffineExpr>(failure()) : expr;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getUpperBound(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getUpperBound(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  bool isProduct = expr.getKind() == AffineExprKind::Mul;
  if (!isProduct && expr.getKind() != AffineExprKind::Add)
    return failure();
  FailureOr<AffineExpr> lhs =
      getExpressionBound(binary.getLHS(), numDims, operands);
  FailureOr<AffineExpr> rhs =
      getExpressionBound(binary.getRHS(), numDims, operands);
  if (failed(lhs) || failed(rhs))
    return failure();
  bool isScaled = isa<AffineConstantExpr>(binary.getRHS());
  if (isProduct && !isScaled && !llvm::all_of(operands, isNotNegative))
    return failure();
  return isProduct ? *lhs * *rhs : *lhs + *rhs;
}

/// Returns an upper bound of one dimension size of `buffer`, likewise.
FailureOr<AffineExpr> WorkspaceSizes::getDimSizeBound(Value buffer,
                                                      int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), function.getContext());
  FailureOr<AffineExpr> bound = getLinearBound({buffer, dim});
  if (succeeded(bound))
    return bound;
  if (auto expand = buffer.getDefiningOp<memref::ExpandShapeOp>())
    return getUpperBound(cast<Value>(expand.getMixedOutputShape()[dim]));
  auto collapse = buffer.getDefiningOp<memref::CollapseShapeOp>();
  if (!collapse)
    return failure();
  AffineExpr product = getAffineConstantExpr(1, function.getContext());
  ReassociationIndices group = collapse.getReassociationIndices()[dim];
  for (int64_t source : group) {
    FailureOr<AffineExpr> factor = getDimSizeBound(collapse.getSrc(), source);
    if (failed(factor))
      return failure();
    product = product * *factor;
  }
  return product;
}

/// Returns an upper bound that is linear in the symbolic dimension sizes, or
/// with EQ the size itself.
FailureOr<AffineExpr>
WorkspaceSizes::getLinearBound(const ValueBoundsConstraintSet::Variable &size,
                               presburger::BoundType kind) {
  MLIRContext *context = function.getContext();
  // If one of several bounds is a constant, it does not grow with the feeds.
  FailureOr<int64_t> constant = ValueBoundsConstraintSet::computeConstantBound(
      kind, size, nullptr, /*closedUB=*/true);
  if (succeeded(constant))
    return getAffineConstantExpr(*constant, context);
  AffineMap map;
  ValueDimList operands;
  auto isSymbol = [&](Value value, std::optional<int64_t> dim,
                      ValueBoundsConstraintSet &) {
    return dim && getSymbol(value, *dim).has_value();
  };
  if (failed(ValueBoundsConstraintSet::computeBound(
          map, operands, kind, size, isSymbol, /*closedUB=*/true)) ||
      map.getNumResults() == 0)
    return failure();
  SmallVector<AffineExpr> dims, symbols;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    std::optional<unsigned> symbol =
        operand.second ? getSymbol(operand.first, *operand.second)
                       : std::nullopt;
    if (!symbol)
      return failure();
    (i < map.getNumDims() ? dims : symbols)
        .push_back(getAffineSymbolExpr(*symbol, context));
  }
  return map.getResult(0).replaceDimsAndSymbols(dims, symbols);
}

FailureOr<AffineExpr> WorkspaceSizes::getBytes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  Type element = type.getElementType();
  if (!element.isIntOrIndexOrFloat())
    return alloc.emitError()
           << "expected a buffer of numbers, found elements of type "
           << element;
  int64_t elementBytes =
      element.isIndex() ? 8
                        : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  // A buffer without elements has no bytes, whatever its dynamic sizes are.
  if (llvm::is_contained(type.getShape(), 0))
    return getAffineConstantExpr(0, function.getContext());
  AffineExpr bytes = getAffineConstantExpr(elementBytes, function.getContext());
  unsigned next = 0;
  for (int64_t dimSize : type.getShape()) {
    if (!ShapedType::isDynamic(dimSize)) {
      bytes = bytes * dimSize;
      continue;
    }
    FailureOr<AffineExpr> bound =
        getUpperBound(alloc.getDynamicSizes()[next++], alloc);
    if (failed(bound))
      return alloc.emitError() << "expected a buffer whose size is bounded by "
                                  "the dimension sizes of the "
                                  "feeds, found "
                               << type;
    bytes = bytes * *bound;
  }
  return bytes;
}
