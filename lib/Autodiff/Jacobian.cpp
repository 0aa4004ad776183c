//===- Jacobian.cpp - Replace a Jacobian by plain ops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row (i, j, ...) of a Jacobian is the gradient for the weights that are 1 at
// element (i, j, ...) of y and 0 elsewhere. The gradient is emitted once, for
// symbolic weights u. The ops that depend on u are then batched over the
// dimensions of y, from the last to the first: as a value of the batched
// computation, u is diagonal along that dimension. After the last one it is 1
// everywhere. Columns are computed likewise from the directional derivative and
// the dimensions of x.
//
//===----------------------------------------------------------------------===//

#include "Gradients.h"

#include "flywheel/Autodiff/Activity.h"
#include "flywheel/Batching/OpBatcher.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Verifiers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace flywheel {
namespace {

/// The values of a linear function at every unit tensor of the type of `seed`:
/// the dimensions of `seed`, then those of the function's value.
class UnitRows {
public:
  /// Computes the rows of `values`, which depend on `seed`, a value that no op
  /// defines yet, before `request`. `like` has the dimension sizes of the seed.
  UnitRows(train::JacobianOp request, Value seed, Value like)
      : request(request), b(request), loc(request.getLoc()), seed(seed),
        like(like) {}

  /// Replaces `values` by their rows, no more than `chunk` at once if it is
  /// given. `likes` have the dimension sizes of the values.
  LogicalResult emit(MutableArrayRef<Value> values, ValueRange likes,
                     std::optional<int64_t> chunk);

private:
  LogicalResult emitDim(int64_t dim, MutableArrayRef<Value> values);
  LogicalResult emitChunks(int64_t chunk, MutableArrayRef<Value> values,
                           ValueRange likes);
  FailureOr<SmallVector<Value>> emitChunk(Value first, int64_t count,
                                          ArrayRef<Operation *> dependents,
                                          ArrayRef<Value> values);
  Value emitUnits(Value first, int64_t count);
  Value splitRows(Value rows);
  SmallVector<Operation *> getDependents();

  train::JacobianOp request;
  OpBuilder b;
  Location loc;
  Value seed, like;
};
} // namespace

/// Returns the ops that depend on the seed, in program order.
SmallVector<Operation *> UnitRows::getDependents() {
  Block *block = request->getBlock();
  llvm::SetVector<Operation *> ops;
  auto addUsers = [&](Value value) {
    for (Operation *user : value.getUsers())
      if (Operation *op = block->findAncestorOpInBlock(*user))
        ops.insert(op);
  };
  addUsers(seed);
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value result : ops[i]->getResults())
      addUsers(result);
  SmallVector<Operation *> sorted = ops.takeVector();
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

/// Erases the ops that `getDependents` returned before they were batched.
static void eraseAll(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

/// Batches over dimension `dim` of the seed.
LogicalResult UnitRows::emitDim(int64_t dim, MutableArrayRef<Value> values) {
  SmallVector<Operation *> dependents = getDependents();
  OpBatcher batcher(b, tensor::getMixedSize(b, loc, like, dim), request);
  batcher.setDiagonal(seed, seed, dim);
  for (Operation *op : dependents)
    if (failed(batcher.batch(op)))
      return failure();
  for (Value &value : values)
    value = batcher.getDense(loc, value);
  eraseAll(dependents);
  return success();
}

/// Emits unit tensors number `first` to `first + count - 1`, in row-major
/// order.
Value UnitRows::emitUnits(Value first, int64_t count) {
  RankedTensorType type = tensorOf(seed);
  SmallVector<int64_t> shape{count};
  llvm::append_range(shape, type.getShape());
  Type element = type.getElementType();
  Value init = tensor::EmptyOp::create(b, loc, shape, element);
  AffineMap map = b.getMultiDimIdentityMap(shape.size());
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  auto units = linalg::GenericOp::create(
      b, loc, init.getType(), ValueRange(), init, map, iterators,
      [&](OpBuilder &b, Location loc, ValueRange) {
        Value number = arith::ConstantIndexOp::create(b, loc, 0);
        for (auto [dim, dimSize] : llvm::enumerate(type.getShape())) {
          Value scale = arith::ConstantIndexOp::create(b, loc, dimSize);
          number = arith::AddIOp::create(
              b, loc, arith::MulIOp::create(b, loc, number, scale),
              linalg::IndexOp::create(b, loc, dim + 1));
        }
        Value row = arith::AddIOp::create(b, loc, first,
                                          linalg::IndexOp::create(b, loc, 0));
        Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            row, number);
        Value one =
            arith::ConstantOp::create(b, loc, b.getFloatAttr(element, 1.0));
        Value zero =
            arith::ConstantOp::create(b, loc, b.getFloatAttr(element, 0.0));
        linalg::YieldOp::create(
            b, loc,
            arith::SelectOp::create(b, loc, isOne, one, zero).getResult());
      });
  return units.getResult(0);
}

FailureOr<SmallVector<Value>>
UnitRows::emitChunk(Value first, int64_t count,
                    ArrayRef<Operation *> dependents, ArrayRef<Value> values) {
  OpBatcher batcher(b, b.getIndexAttr(count), request);
  batcher.setDense(seed, emitUnits(first, count));
  for (Operation *op : dependents)
    if (failed(batcher.batch(op)))
      return failure();
  return llvm::map_to_vector(
      values, [&](Value value) { return batcher.getDense(loc, value); });
}

/// Stores `rows` from number `first` on.
static Value insertRows(OpBuilder &b, Location loc, Value rows, Value into,
                        OpFoldResult first) {
  int64_t rank = tensorOf(into).getRank();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0));
  offsets[0] = first;
  SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
  return nn::buildInsertSlice(b, loc, rows, into, offsets,
                              tensor::getMixedSizes(b, loc, rows), strides);
}

/// Expands the first dimension of `rows` to the dimensions of the seed.
Value UnitRows::splitRows(Value rows) {
  RankedTensorType type = tensorOf(rows);
  SmallVector<int64_t> shape(tensorOf(seed).getShape());
  int64_t seedRank = shape.size();
  llvm::append_range(shape, type.getShape().drop_front());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dimSize : tensorOf(seed).getShape())
    sizes.push_back(b.getIndexAttr(dimSize));
  SmallVector<OpFoldResult> rest = tensor::getMixedSizes(b, loc, rows);
  sizes.append(rest.begin() + 1, rest.end());
  SmallVector<ReassociationIndices> groups(1);
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim) {
    if (dim >= seedRank)
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), rows, groups,
      sizes);
}

LogicalResult UnitRows::emitChunks(int64_t chunk, MutableArrayRef<Value> values,
                                   ValueRange likes) {
  SmallVector<Operation *> dependents = getDependents();
  int64_t total = tensorOf(seed).getNumElements();
  int64_t rest = total % chunk;
  SmallVector<Value> inits;
  for (Value valueLike : likes) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, valueLike);
    sizes.insert(sizes.begin(), b.getIndexAttr(total));
    inits.push_back(tensor::EmptyOp::create(b, loc, sizes,
                                            getElementTypeOrSelf(valueLike)));
  }
  auto index = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  auto loop = scf::ForOp::create(b, loc, index(0), index(total - rest),
                                 index(chunk), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value first = loop.getInductionVar();
    FailureOr<SmallVector<Value>> rows =
        emitChunk(first, chunk, dependents, values);
    if (failed(rows))
      return failure();
    SmallVector<Value> yielded;
    for (auto [row, into] : llvm::zip_equal(*rows, loop.getRegionIterArgs()))
      yielded.push_back(insertRows(b, loc, row, into, first));
    scf::YieldOp::create(b, loc, yielded);
  }
  SmallVector<Value> results(loop.getResults());
  if (rest) {
    FailureOr<SmallVector<Value>> rows =
        emitChunk(index(total - rest), rest, dependents, values);
    if (failed(rows))
      return failure();
    for (auto [row, into] : llvm::zip_equal(*rows, results))
      into = insertRows(b, loc, row, into, b.getIndexAttr(total - rest));
  }
  for (auto [value, rows] : llvm::zip_equal(values, results))
    value = splitRows(rows);
  eraseAll(dependents);
  return success();
}

LogicalResult UnitRows::emit(MutableArrayRef<Value> values, ValueRange likes,
                             std::optional<int64_t> chunk) {
  if (chunk && !tensorOf(seed).hasStaticShape())
    return request.emitOpError()
           << "expected a static number of rows for `chunk`, found one for "
              "each element of "
           << seed.getType();
  if (chunk && *chunk < tensorOf(seed).getNumElements()) {
    if (failed(emitChunks(*chunk, values, likes)))
      return failure();
  } else {
    for (int64_t dim = tensorOf(seed).getRank() - 1; dim >= 0; --dim)
      if (failed(emitDim(dim, values)))
        return failure();
  }
  OpBuilder before(seed.getDefiningOp());
  Value ones = nn::buildSplat(before, loc, like, 1.0);
  llvm::replace(values, seed, ones);
  seed.replaceAllUsesWith(ones);
  seed.getDefiningOp()->erase();
  return success();
}

namespace {
/// Replaces one Jacobian op.
class JacobianEmitter {
public:
  JacobianEmitter(train::JacobianOp jacobian, unsigned &numRules)
      : jacobian(jacobian), b(jacobian), loc(jacobian.getLoc()),
        numRules(numRules) {}

  LogicalResult run();

private:
  bool isForward();
  LogicalResult checkConnected();
  LogicalResult emitReverse(SmallVectorImpl<Value> &results);
  FailureOr<Value> emitForward(Value x);
  Value emitSeed(Type type);
  Value exchange(Value columns, int64_t numFirst);

  train::JacobianOp jacobian;
  OpBuilder b;
  Location loc;
  unsigned &numRules;
  /// The first x that y does not depend on.
  std::optional<unsigned> unconnected;
};
} // namespace

bool JacobianEmitter::isForward() {
  if (jacobian.getMode() != train::JacobianMode::automatic)
    return jacobian.getMode() == train::JacobianMode::forward;
  constexpr int64_t usualDimSize = 8;
  RankedTensorType y = tensorOf(jacobian.getY());
  int64_t rows = 1, columns = 0;
  for (int64_t dimSize : y.getShape())
    rows *= ShapedType::isDynamic(dimSize) ? usualDimSize : dimSize;
  for (Value x : jacobian.getXs()) {
    if (!tensorOf(x).hasStaticShape() ||
        getElementTypeOrSelf(x) != y.getElementType())
      return false;
    columns += tensorOf(x).getNumElements();
  }
  return columns < rows;
}

/// Emits a placeholder of `type` that is replaced later.
Value JacobianEmitter::emitSeed(Type type) {
  return UnrealizedConversionCastOp::create(b, loc, type, ValueRange())
      .getResult(0);
}

LogicalResult JacobianEmitter::emitReverse(SmallVectorImpl<Value> &results) {
  Value y = jacobian.getY();
  Value weights = emitSeed(y.getType());
  auto gradient = train::GradientOp::create(b, loc, jacobian.getXs().getTypes(),
                                            y, jacobian.getXs(), weights,
                                            train::Unconnected::zeros);
  FailureOr<SmallVector<Value>> gradients = emitGradients(gradient, numRules);
  if (failed(gradients))
    return failure();
  results = *gradients;
  return UnitRows(jacobian, weights, jacobian.getY())
      .emit(results, jacobian.getXs(), jacobian.getChunk());
}

/// Moves the first `numFirst` dimensions of `columns` to the end.
Value JacobianEmitter::exchange(Value columns, int64_t numFirst) {
  SmallVector<int64_t> permutation =
      nn::identityDims(tensorOf(columns).getRank());
  std::rotate(permutation.begin(), permutation.begin() + numFirst,
              permutation.end());
  if (isIdentityPermutation(permutation))
    return columns;
  SmallVector<OpFoldResult> sizes =
      applyPermutation(tensor::getMixedSizes(b, loc, columns), permutation);
  Value init =
      tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(columns));
  return linalg::TransposeOp::create(b, loc, columns, init, permutation)
      ->getResult(0);
}

FailureOr<Value> JacobianEmitter::emitForward(Value x) {
  Value y = jacobian.getY();
  Value tangent = emitSeed(x.getType());
  // Zeros are left out of sums, and these stand for any weights.
  Value weights =
      train::ParameterOp::create(b, loc, nn::buildSplat(b, loc, y, 0.0));
  auto gradient = train::GradientOp::create(b, loc, x.getType(), y, x, weights,
                                            train::Unconnected::zeros);
  FailureOr<SmallVector<Value>> first = emitGradients(gradient, numRules);
  if (failed(first))
    return failure();
  auto derivative =
      train::GradientOp::create(b, loc, y.getType(), first->front(), weights,
                                tangent, train::Unconnected::zeros);
  FailureOr<SmallVector<Value>> second = emitGradients(derivative, numRules);
  if (failed(second) ||
      failed(
          UnitRows(jacobian, tangent, x).emit(*second, y, jacobian.getChunk())))
    return failure();
  return exchange(second->front(), tensorOf(x).getRank());
}

/// Finds an x that y does not depend on, before anything is emitted.
LogicalResult JacobianEmitter::checkConnected() {
  if (!unconnected || jacobian.getUnconnected() == train::Unconnected::zeros ||
      dependsOnEmptyTensor(jacobian.getY()))
    return success();
  Value x = jacobian.getXs()[*unconnected];
  InFlightDiagnostic error =
      jacobian.emitOpError()
      << "expected targets that the differentiated value depends on, found "
         "none for target #"
      << *unconnected << ", " << describe(x)
      << "; `unconnected zeros` makes its Jacobian 0";
  error.attachNote(x.getLoc()) << "the target is defined here";
  return error;
}

LogicalResult JacobianEmitter::run() {
  Value y = jacobian.getY();
  llvm::SetVector<Value> sources = findDifferentiableSources(y);
  for (auto [i, x] : llvm::enumerate(jacobian.getXs()))
    if (!unconnected && !findActivity(sources, x).values.contains(y))
      unconnected = i;

  SmallVector<Value> results;
  if (isForward()) {
    for (unsigned i = 0, e = jacobian.getXs().size(); i < e; ++i) {
      FailureOr<Value> columns = emitForward(jacobian.getXs()[i]);
      if (failed(columns))
        return failure();
      results.push_back(*columns);
    }
  } else if (failed(emitReverse(results))) {
    return failure();
  }
  // After paths that cannot be followed have been found.
  if (failed(checkConnected()))
    return failure();
  for (auto [result, type] :
       llvm::zip_equal(results, jacobian.getJacobians().getTypes()))
    result = nn::buildCast(b, loc, result, type);
  jacobian->replaceAllUsesWith(results);
  jacobian->erase();
  return success();
}

LogicalResult emitJacobian(train::JacobianOp jacobian, unsigned &numRules) {
  return JacobianEmitter(jacobian, numRules).run();
}

} // namespace flywheel
