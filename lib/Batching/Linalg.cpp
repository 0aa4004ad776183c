//===- Linalg.cpp - Batching rules of the linalg dialect ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured op gets one more parallel loop, the first. If its operands are
// diagonal and the diagonal dimension is one of its loops, that loop is used
// instead: it stays if no sum is taken over it, or becomes parallel if it was a
// sum.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Models.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Interfaces/Captures.h"
#include "flywheel/Interfaces/LinalgOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel {
namespace {

class StructuredBatcher {
public:
  StructuredBatcher(linalg::LinalgOp op, Batcher &batcher)
      : op(op), batcher(batcher), b(batcher.getBuilder()), loc(op.getLoc()),
        body(op.getBlock()), maps(op.getIndexingMapsArray()),
        iterators(op.getIteratorTypesArray()) {}

  LogicalResult emit();

private:
  /// The role of the diagonal loop in a result.
  enum class Role { Kept, Summed, Lost };

  bool isRead(unsigned init) {
    return !body->getArgument(op.getNumDpsInputs() + init).use_empty();
  }
  bool isBatched(unsigned operand) {
    return batcher.isBatched(op->getOperand(operand));
  }
  std::optional<unsigned> findLoop(AffineMap map, int64_t dim);
  std::optional<int64_t> findDim(AffineMap map, unsigned loop);
  std::optional<unsigned> findDiagonalLoop();
  void findZeros(DenseSet<Value> &zeros);
  Role getRole(unsigned result, unsigned loop, const DenseSet<Value> &zeros);

  bool emitUniform();
  bool emitDiagonal();
  LogicalResult emitDense();
  linalg::GenericOp emitGeneric(ArrayRef<Value> inputs, ArrayRef<Value> inits,
                                ArrayRef<AffineMap> indexing,
                                ArrayRef<utils::IteratorType> loops,
                                unsigned numNewLoops, ArrayRef<Value> captures);
  Value emitEmpty(Value value);
  void yieldTerm(linalg::GenericOp generic, unsigned result);

  linalg::LinalgOp op;
  Batcher &batcher;
  OpBuilder &b;
  Location loc;
  Block *body;
  SmallVector<AffineMap> maps;
  SmallVector<utils::IteratorType> iterators;
};
} // namespace

/// Returns the loop that alone indexes dimension `dim`.
std::optional<unsigned> StructuredBatcher::findLoop(AffineMap map,
                                                    int64_t dim) {
  auto expr = dyn_cast<AffineDimExpr>(map.getResult(dim));
  if (!expr)
    return std::nullopt;
  return expr.getPosition();
}

/// Returns the dimension that only `loop` indexes, if `loop` indexes no other.
std::optional<int64_t> StructuredBatcher::findDim(AffineMap map,
                                                  unsigned loop) {
  std::optional<int64_t> found;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(loop))
      continue;
    if (found || !isa<AffineDimExpr>(expr))
      return std::nullopt;
    found = dim;
  }
  return found;
}

/// Returns the loop over the diagonal dimension of every batched operand.
std::optional<unsigned> StructuredBatcher::findDiagonalLoop() {
  std::optional<unsigned> loop;
  for (unsigned i = 0, e = op->getNumOperands(); i < e; ++i) {
    BatchedValue found = batcher.lookup(op->getOperand(i));
    if (found.isUniform())
      continue;
    bool isUnread =
        i >= op.getNumDpsInputs() && !isRead(i - op.getNumDpsInputs());
    if (isUnread)
      continue;
    if (!found.isDiagonal())
      return std::nullopt;
    std::optional<unsigned> own = findLoop(maps[i], found.dim);
    if (!own || (loop && *loop != *own))
      return std::nullopt;
    loop = own;
  }
  return loop;
}

/// Finds the values that the body computes as 0 if the position is not the
/// iteration of the diagonal loop. Accumulators that start at 0 are 0 then,
/// too.
void StructuredBatcher::findZeros(DenseSet<Value> &zeros) {
  for (unsigned i = 0, e = op.getNumDpsInputs(); i < e; ++i)
    if (isBatched(i) || batcher.isZero(op->getOperand(i)))
      zeros.insert(body->getArgument(i));
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    BatchedValue init = batcher.lookup(op.getDpsInits()[i]);
    if (init.isDiagonal() || batcher.isZero(op.getDpsInits()[i]))
      zeros.insert(body->getArgument(op.getNumDpsInputs() + i));
  }
  auto isZero = [&](Value value) {
    return zeros.contains(value) || matchPattern(value, m_AnyZeroFloat());
  };
  for (Operation &inner : body->without_terminator())
    if (preservesZero(&inner, isZero))
      zeros.insert_range(inner.getResults());
}

StructuredBatcher::Role
StructuredBatcher::getRole(unsigned result, unsigned loop,
                           const DenseSet<Value> &zeros) {
  AffineMap map = maps[op.getNumDpsInputs() + result];
  Value yielded = body->getTerminator()->getOperand(result);
  BlockArgument accumulator = body->getArgument(op.getNumDpsInputs() + result);
  BatchedValue init = batcher.lookup(op.getDpsInits()[result]);
  if (map.isFunctionOfDim(loop)) {
    std::optional<int64_t> dim = findDim(map, loop);
    if (!dim || !zeros.contains(yielded))
      return Role::Lost;
    return init.isDiagonal() && isRead(result) && init.dim != *dim ? Role::Lost
                                                                   : Role::Kept;
  }
  // The other iterations must add 0.
  Operation *sum = yielded.getDefiningOp();
  if (!isa_and_present<arith::AddFOp, arith::SubFOp>(sum) ||
      sum->getBlock() != body || init.isDiagonal())
    return Role::Lost;
  Value left = sum->getOperand(0), right = sum->getOperand(1);
  if (isa<arith::AddFOp>(sum) && right == accumulator)
    std::swap(left, right);
  bool isSum = left == accumulator && right != accumulator &&
               zeros.contains(right) && accumulator.hasOneUse() &&
               sum->hasOneUse();
  return isSum ? Role::Summed : Role::Lost;
}

/// Emits the body over other operands. `captures` are those of its values from
/// above that have become the last inputs.
linalg::GenericOp
StructuredBatcher::emitGeneric(ArrayRef<Value> inputs, ArrayRef<Value> inits,
                               ArrayRef<AffineMap> indexing,
                               ArrayRef<utils::IteratorType> loops,
                               unsigned numNewLoops, ArrayRef<Value> captures) {
  auto generic = linalg::GenericOp::create(b, loc, TypeRange(ValueRange(inits)),
                                           inputs, inits, indexing, loops);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&generic.getRegion());
  IRMapping mapping;
  auto addArgument = [&](Value from, Value operand) {
    mapping.map(from, block->addArgument(getElementTypeOrSelf(operand), loc));
  };
  for (auto [i, input] : llvm::enumerate(inputs)) {
    bool isCapture = static_cast<int64_t>(i) >= op.getNumDpsInputs();
    addArgument(isCapture ? captures[i - op.getNumDpsInputs()]
                          : Value(body->getArgument(i)),
                input);
  }
  for (auto [i, init] : llvm::enumerate(inits))
    addArgument(body->getArgument(op.getNumDpsInputs() + i), init);
  // Values that all positions share may have been replaced.
  SetVector<Value> above = findCaptures(op->getRegions());
  for (Value value : above)
    if (!mapping.contains(value))
      mapping.map(value, batcher.getUniform(value));
  for (Operation &inner : *body) {
    Operation *copy = b.clone(inner, mapping);
    if (auto index = dyn_cast<linalg::IndexOp>(copy))
      index.setDim(index.getDim() + numNewLoops);
  }
  return generic;
}

/// Emits the op without a batch dimension if only shapes of its operands are
/// batched. Returns true if it did.
bool StructuredBatcher::emitUniform() {
  SetVector<Value> above = findCaptures(op->getRegions());
  for (Value value : above)
    if (batcher.isBatched(value))
      return false;
  for (OpOperand &operand : op->getOpOperands())
    if (batcher.isBatched(operand.get()) &&
        op.payloadUsesValueFromOperand(&operand))
      return false;
  SmallVector<Value> inputs, inits;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = batcher.lookup(operand.get()).value;
    if (batcher.isBatched(operand.get()))
      value = nn::buildCast(b, loc, batcher.getShape(loc, operand.get()),
                            operand.get().getType());
    (op.isDpsInput(&operand) ? inputs : inits).push_back(value);
  }
  linalg::GenericOp generic =
      emitGeneric(inputs, inits, maps, iterators, /*numNewLoops=*/0, {});
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), generic.getResults()))
    batcher.setUniform(old, result);
  return true;
}

/// Yields as result number `result` the term that is added to, or subtracted
/// from, its accumulator.
void StructuredBatcher::yieldTerm(linalg::GenericOp generic, unsigned result) {
  OpOperand &yielded =
      generic.getBlock()->getTerminator()->getOpOperand(result);
  Operation *sum = yielded.get().getDefiningOp();
  BlockArgument accumulator =
      generic.getBlock()->getArgument(generic.getNumDpsInputs() + result);
  Value term = sum->getOperand(sum->getOperand(0) == accumulator ? 1 : 0);
  if (isa<arith::SubFOp>(sum)) {
    OpBuilder inBody(sum);
    term = arith::NegFOp::create(inBody, loc, term);
  }
  yielded.set(term);
  if (sum->use_empty())
    sum->erase();
}

bool StructuredBatcher::emitDiagonal() {
  std::optional<unsigned> loop = findDiagonalLoop();
  SetVector<Value> above = findCaptures(op->getRegions());
  if (!loop ||
      llvm::any_of(above, [&](Value v) { return batcher.isBatched(v); }))
    return false;
  DenseSet<Value> zeros;
  findZeros(zeros);
  SmallVector<Role> roles;
  for (unsigned i = 0, e = op->getNumResults(); i < e; ++i) {
    roles.push_back(getRole(i, *loop, zeros));
    if (roles.back() == Role::Lost)
      return false;
  }

  // A sum over the diagonal loop alone has a single term left.
  SmallVector<bool> isTerm(op->getNumResults());
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> indexing(maps);
  SmallVector<utils::IteratorType> loops(iterators);
  for (Value input : op.getDpsInputs())
    inputs.push_back(batcher.lookup(input).value);
  for (auto [i, init] : llvm::enumerate(op.getDpsInits())) {
    if (roles[i] == Role::Kept) {
      inits.push_back(batcher.isBatched(init) && !isRead(i)
                          ? nn::buildCast(b, loc, batcher.getShape(loc, init),
                                          init.getType())
                          : batcher.lookup(init).value);
      continue;
    }
    AffineMap &map = indexing[op.getNumDpsInputs() + i];
    map = map.insertResult(b.getAffineDimExpr(*loop), 0);
    loops[*loop] = utils::IteratorType::parallel;
    isTerm[i] = map.isPermutation() && batcher.isZero(init);
    inits.push_back(isTerm[i] ? emitEmpty(init) : batcher.getDense(loc, init));
  }
  linalg::GenericOp generic =
      emitGeneric(inputs, inits, indexing, loops, /*numNewLoops=*/0, {});
  for (unsigned i = 0, e = isTerm.size(); i < e; ++i)
    if (isTerm[i])
      yieldTerm(generic, i);
  for (auto [i, old] : llvm::enumerate(op->getResults())) {
    if (roles[i] == Role::Kept)
      batcher.setDiagonal(old, generic.getResult(i),
                          *findDim(maps[op.getNumDpsInputs() + i], *loop));
    else
      batcher.setDense(old, generic.getResult(i));
  }
  return true;
}

/// Emits a dense value of the shape of `value` with any elements.
Value StructuredBatcher::emitEmpty(Value value) {
  return nn::buildCast(
      b, loc,
      tensor::EmptyOp::create(b, loc, batcher.getDenseSizes(loc, value),
                              getElementTypeOrSelf(value)),
      batcher.getDenseType(value.getType()));
}

LogicalResult StructuredBatcher::emitDense() {
  // Numbers that the body uses become inputs; tensors cannot.
  SetVector<Value> above = findCaptures(op->getRegions());
  SmallVector<Value> captures;
  for (Value value : above) {
    if (!batcher.isBatched(value))
      continue;
    if (isa<ShapedType>(value.getType()))
      return batcher.batchInLoop(op);
    captures.push_back(value);
  }

  AffineExpr position = b.getAffineDimExpr(0);
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> indexing;
  auto addMap = [&](AffineMap map, bool isDense) {
    map = map.shiftDims(1);
    indexing.push_back(isDense ? map.insertResult(position, 0) : map);
  };
  for (unsigned i = 0, e = op.getNumDpsInputs(); i < e; ++i) {
    Value input = op->getOperand(i);
    inputs.push_back(isBatched(i) ? batcher.getDense(loc, input)
                                  : batcher.getUniform(input));
    addMap(maps[i], isBatched(i));
  }
  for (Value capture : captures) {
    inputs.push_back(batcher.getDense(loc, capture));
    indexing.push_back(AffineMap::get(op.getNumLoops() + 1, 0, position));
  }
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    Value init = op.getDpsInits()[i];
    inits.push_back(isRead(i) ? batcher.getDense(loc, init) : emitEmpty(init));
    addMap(maps[op.getNumDpsInputs() + i], /*isDense=*/true);
  }
  SmallVector<utils::IteratorType> loops(iterators);
  loops.insert(loops.begin(), utils::IteratorType::parallel);
  linalg::GenericOp generic =
      emitGeneric(inputs, inits, indexing, loops, /*numNewLoops=*/1, captures);
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), generic.getResults()))
    batcher.setDense(old, result);
  return success();
}

LogicalResult StructuredBatcher::emit() {
  if (!op.hasPureTensorSemantics() || emitUniform() || emitDiagonal())
    return success(op.hasPureTensorSemantics());
  return emitDense();
}

namespace {
template <typename OpTy>
struct StructuredBatching : BatchingModel<StructuredBatching<OpTy>, OpTy> {
  static LogicalResult emit(OpTy op, Batcher &batcher) {
    return StructuredBatcher(op, batcher).emit();
  }
};

/// A named op stays one.
struct TransposeBatching
    : BatchingModel<TransposeBatching, linalg::TransposeOp> {
  static LogicalResult emit(linalg::TransposeOp op, Batcher &batcher) {
    BatchedValue input = batcher.lookup(op.getInput());
    if (!input.isDense())
      return StructuredBatcher(op, batcher).emit();
    OpBuilder &b = batcher.getBuilder();
    SmallVector<int64_t> permutation{0};
    for (int64_t dim : op.getPermutation())
      permutation.push_back(dim + 1);
    SmallVector<OpFoldResult> sizes = applyPermutation(
        batcher.getDenseSizes(op.getLoc(), op.getInput()), permutation);
    Value init = tensor::EmptyOp::create(b, op.getLoc(), sizes,
                                         getElementTypeOrSelf(op.getInput()));
    batcher.setDense(op->getResult(0),
                     linalg::TransposeOp::create(b, op.getLoc(), input.value,
                                                 init, permutation)
                         ->getResult(0));
    return success();
  }
};

/// A number for each position, repeated.
struct FillBatching : BatchingModel<FillBatching, linalg::FillOp> {
  static LogicalResult emit(linalg::FillOp op, Batcher &batcher) {
    Value number = op.getInputs()[0], init = op.getOutputs()[0];
    OpBuilder &b = batcher.getBuilder();
    Location loc = op.getLoc();
    if (!batcher.isBatched(number)) {
      Value shape =
          nn::buildCast(b, loc, batcher.getShape(loc, init), init.getType());
      batcher.setUniform(
          op.getResult(0),
          linalg::FillOp::create(b, loc, batcher.getUniform(number), shape)
              .getResult(0));
      return success();
    }
    if (isa<ShapedType>(number.getType()))
      return StructuredBatcher(op, batcher).emit();
    RankedTensorType type = batcher.getDenseType(init.getType());
    Value like;
    if (!type.hasStaticShape())
      like = nn::buildCast(
          b, loc,
          tensor::EmptyOp::create(b, loc, batcher.getDenseSizes(loc, init),
                                  type.getElementType()),
          type);
    batcher.setDense(op.getResult(0),
                     nn::BroadcastOp::create(b, loc, type,
                                             batcher.getDense(loc, number),
                                             like, ArrayRef<int64_t>{0}));
    return success();
  }
};

/// The rule of each op: that of its body, or a better one.
template <typename OpTy> struct LinalgBatching {
  using Type = StructuredBatching<OpTy>;
};
template <> struct LinalgBatching<linalg::FillOp> {
  using Type = FillBatching;
};
template <> struct LinalgBatching<linalg::TransposeOp> {
  using Type = TransposeBatching;
};
} // namespace

ArrayRef<BatchingRule> getLinalgBatchingRules() {
  static const auto rules = LinalgOps::map([](auto tag) {
    using OpTy = typename decltype(tag)::Type;
    return batched<OpTy, typename LinalgBatching<OpTy>::Type>();
  });
  return rules;
}

} // namespace flywheel
