//===- LinalgStructured.cpp - The rule of linalg ops with a body ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For y[M(i)] (+)= f(x[P(i)], ...) over the iterations i and the cotangent g of
// y, the cotangent of x is
//
//   dx[P(i)] += f'(x[P(i)], ...) * g[M(i)]
//
// a sum over the dimensions of i that P lacks. This holds if P and M only
// permute and drop dimensions. The op must sum over the dimensions that M
// drops, or take their maximum or minimum; in the latter case, g is divided
// equally among the elements that are equal to it.
//
//===----------------------------------------------------------------------===//

#include "LinalgStructured.h"

#include "flywheel/Autodiff/ReverseSweep.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel {
namespace {

/// The contribution of one iteration to a result that a derivative reaches.
struct Contribution {
  /// The number of the result.
  unsigned result;
  /// The terms of the body that are added up or compared; `negated` are the
  /// added terms with a minus.
  SmallVector<Value> terms, negated;
  /// True if several iterations contribute to one element of the result.
  bool isReduced = false;
  /// True if the element is one of the terms instead of their sum.
  bool isExtremum = false;
  /// The tensor whose elements a term receives.
  Value cotangent;
};

/// Emits the cotangents of one op.
class StructuredVjp {
public:
  StructuredVjp(linalg::LinalgOp op, OpBuilder &builder)
      : op(op), builder(builder), loc(op.getLoc()), body(op.getBlock()),
        maps(op.getIndexingMapsArray()),
        captures(getDifferentiableCaptures(op)) {}

  LogicalResult run(ArrayRef<Value> resultCotangents, ArrayRef<bool> needed,
                    MutableArrayRef<Value> inputCotangents);

private:
  /// An operand of the emitted op, with its map.
  using Indexed = std::pair<Value, AffineMap>;

  LogicalResult checkMaps();
  LogicalResult checkCaptures(ArrayRef<bool> needed);
  void findAccumulated();
  FailureOr<Contribution> findContribution(unsigned result, Value cotangent);
  bool matchSum(Value yielded, BlockArgument accumulator, Contribution &into);
  bool matchExtremum(Value yielded, BlockArgument accumulator,
                     Contribution &into);
  void shareAmongTies(Contribution &contribution);

  FailureOr<AffineMap> getIndexedDims(unsigned operand);
  FailureOr<Value> emitCotangent(unsigned input);
  Value emitCotangentInBody(OpBuilder &b, Value x, const IRMapping &mapping,
                            ValueRange values, LogicalResult &status);
  FailureOr<Value> emitInitCotangent(unsigned result);
  SmallVector<Indexed> getInputs(SmallVectorImpl<BlockArgument> &arguments);
  Value emitGeneric(ArrayRef<Indexed> inputs, Value init, AffineMap initMap,
                    function_ref<Value(OpBuilder &, ValueRange)> emitBody);
  IRMapping cloneBody(OpBuilder &b, ArrayRef<BlockArgument> arguments,
                      ValueRange values);
  Value seed(OpBuilder &b, const Contribution &contribution, Value term,
             Value cotangent, Value extremum);

  unsigned getNumInputs() { return op.getNumDpsInputs(); }
  AffineMap getResultMap(unsigned result) {
    return maps[getNumInputs() + result];
  }
  BlockArgument getAccumulator(unsigned result) {
    return body->getArgument(getNumInputs() + result);
  }
  bool isReduced(unsigned result) {
    // A dimension that is indexed by 0 is none of the loops.
    return llvm::count_if(getResultMap(result).getResults(),
                          llvm::IsaPred<AffineDimExpr>) < op.getNumLoops();
  }

  linalg::LinalgOp op;
  OpBuilder &builder;
  Location loc;
  Block *body;
  SmallVector<AffineMap> maps;
  SmallVector<Value> captures;
  /// The values that the body computes from a running sum or extremum.
  DenseSet<Value> accumulated;
  SmallVector<Contribution> contributions;
};
} // namespace

static Value emitZero(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

/// Emits a tensor of `sizes` for the numbers of `init`: zeros if `fill`.
static Value emitInit(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes,
                      Type elementType, bool fill) {
  Value empty = tensor::EmptyOp::create(b, loc, sizes, elementType);
  if (!fill)
    return empty;
  return linalg::FillOp::create(b, loc, emitZero(b, loc, elementType), empty)
      .getResult(0);
}

/// Sums of half-precision numbers are made in single precision.
static Type getSumType(Type type) {
  return type.getIntOrFloatBitWidth() < 32 ? Float32Type::get(type.getContext())
                                           : type;
}

LogicalResult StructuredVjp::checkMaps() {
  for (auto [i, map] : llvm::enumerate(maps))
    // A dimension of dimension size 1 is indexed by 0 in every iteration; see
    // getIndexedDims.
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return op->emitOpError()
             << "expected indexing maps that only permute and drop dimensions "
                "to differentiate, found "
             << AffineMapAttr::get(map) << " for operand #" << i;
  return success();
}

LogicalResult StructuredVjp::checkCaptures(ArrayRef<bool> needed) {
  for (auto [i, capture] : llvm::enumerate(captures))
    if (needed[op->getNumOperands() + i] && isa<ShapedType>(capture.getType()))
      return op->emitOpError()
             << "expected a body that reads nothing but the op's operands to "
                "differentiate, found one that reads from "
             << capture.getType();
  return success();
}

void StructuredVjp::findAccumulated() {
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i)
    if (isReduced(i))
      accumulated.insert(getAccumulator(i));
  for (Operation &inner : body->without_terminator()) {
    WalkResult found = inner.walk([&](Operation *nested) {
      return llvm::any_of(
                 nested->getOperands(),
                 [&](Value value) { return accumulated.contains(value); })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (found.wasInterrupted())
      accumulated.insert(inner.result_begin(), inner.result_end());
  }
}

/// Matches accumulator + a - b + ..., in any association.
bool StructuredVjp::matchSum(Value yielded, BlockArgument accumulator,
                             Contribution &into) {
  while (yielded != accumulator) {
    Operation *sum = yielded.getDefiningOp();
    if (!sum || !isa<arith::AddFOp, arith::SubFOp>(sum))
      return false;
    Value left = sum->getOperand(0), right = sum->getOperand(1);
    if (isa<arith::AddFOp>(sum) && !accumulated.contains(left))
      std::swap(left, right);
    if (accumulated.contains(right))
      return false;
    (isa<arith::AddFOp>(sum) ? into.terms : into.negated).push_back(right);
    yielded = left;
  }
  return true;
}

bool StructuredVjp::matchExtremum(Value yielded, BlockArgument accumulator,
                                  Contribution &into) {
  Operation *extremum = yielded.getDefiningOp();
  if (!extremum || !isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                        arith::MinNumFOp>(extremum))
    return false;
  Value left = extremum->getOperand(0), right = extremum->getOperand(1);
  if (right == accumulator)
    std::swap(left, right);
  if (left != accumulator || accumulated.contains(right))
    return false;
  into.terms.push_back(right);
  into.isExtremum = true;
  return true;
}

FailureOr<Contribution> StructuredVjp::findContribution(unsigned result,
                                                        Value cotangent) {
  if (failed(getIndexedDims(getNumInputs() + result)))
    return failure();
  Contribution contribution;
  contribution.result = result;
  contribution.cotangent = cotangent;
  contribution.isReduced = isReduced(result);
  Value yielded = body->getTerminator()->getOperand(result);
  if (!contribution.isReduced) {
    contribution.terms.push_back(yielded);
    if (!accumulated.contains(yielded))
      return contribution;
    return op->emitOpError()
           << "expected a result with an element for each iteration to be "
              "independent of sums to differentiate, found result #"
           << result << " that uses one";
  }
  BlockArgument accumulator = getAccumulator(result);
  if (!matchSum(yielded, accumulator, contribution) &&
      !matchExtremum(yielded, accumulator, contribution))
    return op->emitOpError()
           << "expected a body that adds to its accumulator, or takes the "
              "maximum or minimum with it, to differentiate, found another "
              "reduction for result #"
           << result;
  return contribution;
}

IRMapping StructuredVjp::cloneBody(OpBuilder &b,
                                   ArrayRef<BlockArgument> arguments,
                                   ValueRange values) {
  IRMapping mapping;
  for (auto [argument, value] : llvm::zip_equal(arguments, values))
    mapping.map(argument, value);
  // A term does not depend on an accumulator, so that any number will do; the
  // ops that use it are dead.
  for (BlockArgument argument : body->getArguments())
    if (!mapping.contains(argument))
      mapping.map(argument, emitZero(b, loc, argument.getType()));
  for (Operation &inner : body->without_terminator())
    b.clone(inner, mapping);
  return mapping;
}

Value StructuredVjp::emitGeneric(
    ArrayRef<Indexed> inputs, Value init, AffineMap initMap,
    function_ref<Value(OpBuilder &, ValueRange)> emitBody) {
  SmallVector<Value> values;
  SmallVector<AffineMap> indexing;
  for (auto [value, map] : inputs) {
    values.push_back(value);
    indexing.push_back(map);
  }
  indexing.push_back(initMap);
  SmallVector<utils::IteratorType> iterators;
  for (unsigned dim = 0, e = op.getNumLoops(); dim < e; ++dim)
    iterators.push_back(initMap.isFunctionOfDim(dim)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  values.push_back(init);
  auto generic = linalg::GenericOp::create(builder, loc, init.getType(),
                                           ArrayRef(values).drop_back(), init,
                                           indexing, iterators);
  // Not in a callback: derivative rules look at the ops around the body.
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types = llvm::map_to_vector(
      values, [](Value value) { return getElementTypeOrSelf(value); });
  Block *block = builder.createBlock(&generic.getRegion(), {}, types,
                                     SmallVector<Location>(types.size(), loc));
  Value value = emitBody(builder, block->getArguments());
  if (!value) {
    generic->erase();
    return {};
  }
  linalg::YieldOp::create(builder, loc, value);
  eraseDeadOps(*generic.getBlock());
  return generic.getResult(0);
}

/// Returns the operands of an op that recomputes the body, and the arguments of
/// the body that they provide.
SmallVector<StructuredVjp::Indexed>
StructuredVjp::getInputs(SmallVectorImpl<BlockArgument> &arguments) {
  SmallVector<Indexed> inputs;
  SmallVector<AffineMap> used;
  auto add = [&](unsigned operand) {
    inputs.emplace_back(op->getOperand(operand), maps[operand]);
    used.push_back(maps[operand]);
    arguments.push_back(body->getArgument(operand));
  };
  for (unsigned i = 0; i < getNumInputs(); ++i)
    add(i);
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    // The body may read the initial destination, and its shape may be the only
    // source of a loop's size.
    bool isRead = !isReduced(i) && !getAccumulator(i).use_empty();
    if (isRead || used.empty() ||
        !inversePermutation(concatAffineMaps(used, op->getContext())))
      add(getNumInputs() + i);
  }
  return inputs;
}

/// Divides the cotangent of an extremum by the number of terms, and of initial
/// values, that are equal to it.
void StructuredVjp::shareAmongTies(Contribution &contribution) {
  Value result = op->getResult(contribution.result);
  Value init = op.getDpsInits()[contribution.result];
  auto indicator = [&](OpBuilder &b, Value value, Value extremum) -> Value {
    ElementwiseExpr equal =
        ElementwiseExpr(b, loc, value) == ElementwiseExpr(b, loc, extremum);
    ElementwiseExpr one = ElementwiseExpr(b, loc, extremum).splat(1.0);
    return equal.select(one, one.splat(0.0)).getValue();
  };
  SmallVector<BlockArgument> arguments;
  SmallVector<Indexed> inputs = getInputs(arguments);
  AffineMap map = getResultMap(contribution.result);
  inputs.emplace_back(result, map);
  Value start = indicator(builder, init, result);
  Value count = emitGeneric(
      inputs, start, map, [&](OpBuilder &b, ValueRange values) -> Value {
        IRMapping mapping =
            cloneBody(b, arguments, values.take_front(arguments.size()));
        Value term = mapping.lookupOrDefault(contribution.terms.front());
        return arith::AddFOp::create(
            b, loc, values.back(),
            indicator(b, term, values[arguments.size()]));
      });
  contribution.cotangent =
      arith::DivFOp::create(builder, loc, contribution.cotangent, count);
}

/// Emits the cotangent of a term in one iteration.
Value StructuredVjp::seed(OpBuilder &b, const Contribution &contribution,
                          Value term, Value cotangent, Value extremum) {
  if (!contribution.isExtremum)
    return cotangent;
  ElementwiseExpr share(b, loc, cotangent);
  return (ElementwiseExpr(b, loc, term) == ElementwiseExpr(b, loc, extremum))
      .select(share, share.splat(0.0))
      .getValue();
}

/// Emits the cotangent of the init of a reduction.
FailureOr<Value> StructuredVjp::emitInitCotangent(unsigned result) {
  const Contribution *found =
      llvm::find_if(contributions, [&](const Contribution &contribution) {
        return contribution.result == result;
      });
  if (found == contributions.end())
    return Value();
  return seed(builder, *found, op.getDpsInits()[result], found->cotangent,
              op->getResult(result));
}

/// Returns the map of operand number `operand` without the dimensions of
/// dimension size 1 that are indexed by 0.
FailureOr<AffineMap> StructuredVjp::getIndexedDims(unsigned operand) {
  SmallVector<AffineExpr> exprs;
  for (auto [dim, expr] : llvm::enumerate(maps[operand].getResults())) {
    auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
    if (!isa<AffineConstantExpr>(expr))
      exprs.push_back(expr);
    else if (type.getDimSize(dim) != 1)
      return op->emitOpError()
             << "expected a dimension size of 1 where dimension " << dim
             << " of operand #" << operand
             << " is indexed by 0 to differentiate, found " << type;
  }
  return AffineMap::get(op.getNumLoops(), 0, exprs, op->getContext());
}

/// Emits the dimension sizes of `value` without the dimensions that are read at
/// 0.
static SmallVector<OpFoldResult> getSizes(OpBuilder &b, Location loc,
                                          Value value, AffineMap map) {
  SmallVector<OpFoldResult> sizes;
  for (auto [size, expr] :
       llvm::zip_equal(tensor::getMixedSizes(b, loc, value), map.getResults()))
    if (!isa<AffineConstantExpr>(expr))
      sizes.push_back(size);
  return sizes;
}

/// Puts the dimensions that `map` reads at 0 back.
static Value restoreUnitDims(OpBuilder &b, Location loc, Value reduced,
                             Value like, AffineMap map) {
  if (cast<RankedTensorType>(reduced.getType()).getRank() ==
      map.getNumResults())
    return reduced;
  SmallVector<bool> isKept;
  for (AffineExpr expr : map.getResults())
    isKept.push_back(!isa<AffineConstantExpr>(expr));
  return tensor::ExpandShapeOp::create(b, loc, like.getType(), reduced,
                                       nn::unitDimGroups(isKept),
                                       tensor::getMixedSizes(b, loc, like));
}

/// Emits the cotangent of `x` in one iteration, or null. `values` are the
/// elements that the contributions need.
Value StructuredVjp::emitCotangentInBody(OpBuilder &b, Value x,
                                         const IRMapping &mapping,
                                         ValueRange values,
                                         LogicalResult &status) {
  SmallVector<Value> ys, seeds;
  for (const Contribution &contribution : contributions) {
    Value cotangent = values.front();
    Value extremum = contribution.isExtremum ? values[1] : Value();
    values = values.drop_front(contribution.isExtremum ? 2 : 1);
    for (Value term : contribution.terms) {
      ys.push_back(mapping.lookupOrDefault(term));
      seeds.push_back(seed(b, contribution, ys.back(), cotangent, extremum));
    }
    for (Value term : contribution.negated) {
      ys.push_back(mapping.lookupOrDefault(term));
      seeds.push_back(arith::NegFOp::create(b, loc, cotangent));
    }
  }
  ReverseSweep sweep(b, ys, x, b.getInsertionBlock());
  for (auto [y, cotangent] : llvm::zip_equal(ys, seeds))
    if (sweep.isActive(y))
      sweep.accumulate(loc, y, cotangent);
  status = sweep.run();
  return succeeded(status) ? sweep.getCotangent(x) : Value();
}

/// Emits the cotangent of an operand that is indexed, or of a number that is
/// captured or has no index.
FailureOr<Value> StructuredVjp::emitCotangent(unsigned input) {
  bool isCapture = input >= op->getNumOperands();
  Value value = isCapture ? captures[input - op->getNumOperands()]
                          : op->getOperand(input);
  bool isScalar = !isa<RankedTensorType>(value.getType());
  FailureOr<AffineMap> map =
      AffineMap::get(op.getNumLoops(), 0, op->getContext());
  if (!isScalar && failed(map = getIndexedDims(input)))
    return failure();

  SmallVector<BlockArgument> arguments;
  SmallVector<Indexed> inputs = getInputs(arguments);
  for (const Contribution &contribution : contributions) {
    AffineMap resultMap = getResultMap(contribution.result);
    inputs.emplace_back(contribution.cotangent, resultMap);
    if (contribution.isExtremum)
      inputs.emplace_back(op->getResult(contribution.result), resultMap);
  }

  bool isSum = map->getNumResults() < op.getNumLoops();
  Type type = getElementTypeOrSelf(value);
  Type sumType = isSum ? getSumType(type) : type;
  SmallVector<OpFoldResult> sizes;
  if (!isScalar)
    sizes = getSizes(builder, loc, value, maps[input]);
  LogicalResult status = success();
  auto emitBody = [&](OpBuilder &b, ValueRange values) -> Value {
    IRMapping mapping =
        cloneBody(b, arguments, values.take_front(arguments.size()));
    Value x = isCapture ? value : mapping.lookup(body->getArgument(input));
    Value cotangent = emitCotangentInBody(
        b, x, mapping, values.drop_front(arguments.size()), status);
    if (cotangent && sumType != type)
      cotangent = arith::ExtFOp::create(b, loc, sumType, cotangent);
    if (cotangent && isSum)
      cotangent = arith::AddFOp::create(b, loc, values.back(), cotangent);
    return cotangent;
  };
  Value cotangent = emitGeneric(
      inputs, emitInit(builder, loc, sizes, sumType, isSum), *map, emitBody);
  if (failed(status))
    return failure();
  if (!cotangent)
    return Value();

  if (sumType != type)
    cotangent = arith::TruncFOp::create(
        builder, loc, cast<RankedTensorType>(cotangent.getType()).clone(type),
        cotangent);
  if (isScalar)
    return tensor::ExtractOp::create(builder, loc, cotangent, ValueRange())
        .getResult();
  return restoreUnitDims(builder, loc, cotangent, value, maps[input]);
}

LogicalResult StructuredVjp::run(ArrayRef<Value> resultCotangents,
                                 ArrayRef<bool> needed,
                                 MutableArrayRef<Value> inputCotangents) {
  if (failed(checkMaps()) || failed(checkCaptures(needed)))
    return failure();
  findAccumulated();
  for (auto [i, cotangent] : llvm::enumerate(resultCotangents)) {
    if (!cotangent)
      continue;
    FailureOr<Contribution> contribution = findContribution(i, cotangent);
    if (failed(contribution))
      return failure();
    if (contribution->isExtremum)
      shareAmongTies(*contribution);
    contributions.push_back(*contribution);
  }
  for (unsigned i = 0, e = needed.size(); i < e; ++i) {
    if (!needed[i])
      continue;
    bool isReducedInit = i >= getNumInputs() && i < op->getNumOperands() &&
                         isReduced(i - getNumInputs());
    FailureOr<Value> cotangent = isReducedInit
                                     ? emitInitCotangent(i - getNumInputs())
                                     : emitCotangent(i);
    if (failed(cotangent))
      return failure();
    inputCotangents[i] = *cotangent;
  }
  return success();
}

LogicalResult emitStructuredVjp(linalg::LinalgOp op, OpBuilder &builder,
                                ArrayRef<Value> resultCotangents,
                                ArrayRef<bool> needed,
                                MutableArrayRef<Value> inputCotangents) {
  return StructuredVjp(op, builder)
      .run(resultCotangents, needed, inputCotangents);
}

} // namespace flywheel
