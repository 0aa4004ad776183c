//===- LeastSquaresStep.cpp - The linear system of least squares ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a Jacobian J [m, n]: blocks of it, one for each residual and part of x,
// as matrices, then the normal equations of the smaller size. Without one: the
// normal equations by conjugate gradients, on the parts of x as they are.
//
//===----------------------------------------------------------------------===//

#include "LeastSquaresStep.h"

#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>

using namespace mlir;

namespace flywheel::train {

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Returns the number of elements of `tensor`, as an index.
static Value countElements(OpBuilder &b, Location loc, Value tensor) {
  RankedTensorType type = tensorType(tensor);
  int64_t known = 1;
  Value count;
  for (int64_t dim = 0, rank = type.getRank(); dim < rank; ++dim) {
    if (!type.isDynamicDim(dim)) {
      known *= type.getDimSize(dim);
      continue;
    }
    Value dimSize = tensor::DimOp::create(b, loc, tensor, dim);
    count = count ? arith::MulIOp::create(b, loc, count, dimSize) : dimSize;
  }
  Value factor = arith::ConstantIndexOp::create(b, loc, known);
  return count ? arith::MulIOp::create(b, loc, count, factor) : factor;
}

namespace {
/// Steps by a factorization.
class DenseSystem : public LeastSquaresSystem {
public:
  DenseSystem(OpBuilder &builder, LeastSquaresOp op, ValueRange xs,
              ValueRange residuals);

  LeastSquaresStep emitStep(Value regularizer) override;

private:
  RankedTensorType matrixType(int64_t rows, int64_t columns) {
    return RankedTensorType::get({rows, columns}, element);
  }
  Value matmul(Value a, bool transposeA, Value other, bool transposeB);
  Value emitGram(Value matrix, bool transposeB);
  Value toMatrix(Value tensor, int64_t numRowDims);
  Value concat(int64_t dim, ArrayRef<Value> parts);
  Value emitJacobian(ValueRange residuals);
  Value emitDiagonal(Value scalar, Value like);
  Value emitUnused(Value like, Value first);
  Value emitFilled(Value matrix, int64_t numRows, OpFoldResult size);
  struct System {
    Value gram, rhs;
  };
  System emitOverdetermined(Value r);
  System emitUnderdetermined(Value filled, Value r);
  System emitSmaller(Value r);
  Value solve(Value regularizer, Value &success);
  SmallVector<Value> split(Value column);

  OpBuilder &b;
  LeastSquaresOp op;
  Location loc;
  Type element;
  SmallVector<Value> xs;
  Value jacobian;
  /// Without the regularizer.
  System system;
  /// True if the system has fewer residuals than unknowns. If that is known at
  /// compile time, `isUnder` is null and `isUnderdetermined` has it.
  Value isUnder;
  bool isUnderdetermined = false;
};
} // namespace

Value DenseSystem::matmul(Value a, bool transposeA, Value other,
                          bool transposeB) {
  int64_t rows = tensorType(a).getDimSize(transposeA ? 1 : 0);
  int64_t columns = tensorType(other).getDimSize(transposeB ? 0 : 1);
  return nn::buildMatmul(b, loc, matrixType(rows, columns), a, transposeA,
                         other, transposeB);
}

/// Reshapes `tensor` to a matrix, whose rows are its first `numRowDims`
/// dimensions.
Value DenseSystem::toMatrix(Value tensor, int64_t numRowDims) {
  int64_t rank = tensorType(tensor).getRank();
  if (rank == 0)
    return tensor::ExpandShapeOp::create(b, loc, matrixType(1, 1), tensor,
                                         ArrayRef<ReassociationIndices>());
  SmallVector<ReassociationIndices> groups;
  auto addGroup = [&](int64_t begin, int64_t end) {
    if (begin < end)
      groups.emplace_back(llvm::to_vector<2>(llvm::seq<int64_t>(begin, end)));
  };
  addGroup(0, numRowDims);
  addGroup(numRowDims, rank);
  if (static_cast<int64_t>(groups.size()) < rank)
    tensor = tensor::CollapseShapeOp::create(b, loc, tensor, groups);
  if (groups.size() == 2)
    return tensor;
  int64_t size = tensorType(tensor).getDimSize(0);
  OpFoldResult mixed = tensor::getMixedSize(b, loc, tensor, 0);
  OpFoldResult one = b.getIndexAttr(1);
  bool isColumn = numRowDims > 0;
  return tensor::ExpandShapeOp::create(
      b, loc, isColumn ? matrixType(size, 1) : matrixType(1, size), tensor,
      ArrayRef<ReassociationIndices>{{0, 1}},
      isColumn ? ArrayRef<OpFoldResult>{mixed, one}
               : ArrayRef<OpFoldResult>{one, mixed});
}

Value DenseSystem::concat(int64_t dim, ArrayRef<Value> parts) {
  return parts.size() == 1
             ? parts.front()
             : Value(tensor::ConcatOp::create(b, loc, dim, parts));
}

/// Emits J [m, n].
Value DenseSystem::emitJacobian(ValueRange residuals) {
  SmallVector<Value> rows;
  for (Value residual : residuals) {
    SmallVector<Type> types;
    for (Value x : xs) {
      SmallVector<int64_t> shape(tensorType(residual).getShape());
      llvm::append_range(shape, tensorType(x).getShape());
      types.push_back(RankedTensorType::get(shape, element));
    }
    auto jacobian =
        JacobianOp::create(b, loc, types, residual, xs, op.getJacobian(),
                           IntegerAttr(), Unconnected::zeros);
    SmallVector<Value> blocks;
    for (Value block : jacobian.getJacobians())
      blocks.push_back(toMatrix(block, tensorType(residual).getRank()));
    rows.push_back(concat(1, blocks));
  }
  return concat(0, rows);
}

/// Emits `scalar` on the diagonal of a square matrix like `like`, else 0.
Value DenseSystem::emitDiagonal(Value scalar, Value like) {
  Value matrix = nn::buildBroadcast(b, loc, scalar, {}, like);
  for (nn::TriangleKind kind :
       {nn::TriangleKind::lower, nn::TriangleKind::upper})
    matrix = nn::TriangleOp::create(b, loc, matrix.getType(), kind, matrix, 0,
                                    APFloat(0.0));
  return matrix;
}

/// Emits 1 on the diagonal of a matrix like `like` from row `first` on, else 0.
Value DenseSystem::emitUnused(Value like, Value first) {
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, like), element);
  auto unused = linalg::GenericOp::create(
      b, loc, init.getType(), ValueRange(), init, b.getMultiDimIdentityMap(2),
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange) {
        Value row = linalg::IndexOp::create(nested, loc, 0);
        Value column = linalg::IndexOp::create(nested, loc, 1);
        Value isDiagonal = arith::CmpIOp::create(
            nested, loc, arith::CmpIPredicate::eq, row, column);
        Value isBehind = arith::CmpIOp::create(
            nested, loc, arith::CmpIPredicate::uge, row, first);
        Value isOne = arith::AndIOp::create(nested, loc, isDiagonal, isBehind);
        Value one =
            arith::ConstantOp::create(nested, loc, nested.getOneAttr(element));
        Value zero =
            arith::ConstantOp::create(nested, loc, nested.getZeroAttr(element));
        Value number = arith::SelectOp::create(nested, loc, isOne, one, zero);
        linalg::YieldOp::create(nested, loc, number);
      });
  return unused.getResult(0);
}

/// Emits `matrix` with rows of zeros behind it, up to `size`, `numRows` if that
/// is static.
Value DenseSystem::emitFilled(Value matrix, int64_t numRows,
                              OpFoldResult size) {
  OpFoldResult columns = tensor::getMixedSize(b, loc, matrix, 1);
  Value empty = tensor::EmptyOp::create(b, loc, {size, columns}, element);
  empty = nn::buildCast(b, loc, empty,
                        matrixType(numRows, tensorType(matrix).getDimSize(1)));
  Value zeros = nn::buildSplat(b, loc, empty, 0.0);
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  auto inserted = tensor::InsertSliceOp::create(
      b, loc, matrix, zeros, {zero, zero},
      tensor::getMixedSizes(b, loc, matrix), {one, one});
  inserted->setAttr(TrainDialect::getInRangeAttrName(), b.getUnitAttr());
  return inserted;
}

/// Emits the matrix of the normal equations, whose upper triangle nobody reads.
Value DenseSystem::emitGram(Value matrix, bool transposeB) {
  int64_t size = tensorType(matrix).getDimSize(transposeB ? 0 : 1);
  return nn::buildGram(b, loc, matrixType(size, size), matrix, transposeB);
}

/// Emits J^T J and J^T r.
DenseSystem::System DenseSystem::emitOverdetermined(Value r) {
  return {emitGram(jacobian, false), matmul(jacobian, true, r, false)};
}

/// Emits J J^T and r, of J and r as they are or filled up.
DenseSystem::System DenseSystem::emitUnderdetermined(Value filled, Value r) {
  return {emitGram(filled, true), r};
}

/// Emits the underdetermined system if `isUnder`, filled up to n rows, and the
/// other one otherwise.
DenseSystem::System DenseSystem::emitSmaller(Value r) {
  int64_t n = tensorType(jacobian).getDimSize(1);
  SmallVector<Type> types{matrixType(n, n), matrixType(n, 1)};
  auto branch = scf::IfOp::create(b, loc, types, isUnder, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto yield = [&](System system) {
    scf::YieldOp::create(
        b, loc,
        ValueRange{nn::buildCast(b, loc, system.gram, types[0]),
                   nn::buildCast(b, loc, system.rhs, types[1])});
  };
  b.setInsertionPointToEnd(branch.thenBlock());
  OpFoldResult size = tensor::getMixedSize(b, loc, jacobian, 1);
  Value numRows = tensor::DimOp::create(b, loc, jacobian, 0);
  System under = emitUnderdetermined(emitFilled(jacobian, n, size),
                                     emitFilled(r, n, size));
  under.gram = arith::AddFOp::create(b, loc, under.gram,
                                     emitUnused(under.gram, numRows));
  yield(under);
  b.setInsertionPointToEnd(branch.elseBlock());
  yield(emitOverdetermined(r));
  return {branch.getResult(0), branch.getResult(1)};
}

/// Emits the z with (gram + regularizer I) z = rhs.
Value DenseSystem::solve(Value regularizer, Value &success) {
  Value gram = arith::AddFOp::create(b, loc, system.gram,
                                     emitDiagonal(regularizer, system.gram));
  Value factor;
  if (op.getOnFailure() == OnFailure::reject) {
    auto flag = RankedTensorType::get({}, b.getI1Type());
    auto factors = nn::TryCholeskyOp::create(
        b, loc, TypeRange{gram.getType(), flag}, gram);
    factor = factors.getResult();
    success = factors.getSuccess();
  } else {
    factor = nn::CholeskyOp::create(b, loc, gram.getType(), gram);
  }
  Value z = system.rhs;
  for (bool transpose : {false, true})
    z = nn::TriangularSolveOp::create(b, loc, z.getType(),
                                      nn::TriangleKind::lower, factor, z,
                                      transpose, /*unit_diagonal=*/false);
  return z;
}

/// Splits `column`, [n, 1], into parts with the shapes of those of x.
SmallVector<Value> DenseSystem::split(Value column) {
  SmallVector<Value> parts;
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  OpFoldResult offset = zero;
  AffineExpr sum = b.getAffineSymbolExpr(0) + b.getAffineSymbolExpr(1);
  for (Value x : xs) {
    RankedTensorType type = tensorType(x);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, x);
    OpFoldResult size = getAsOpFoldResult(countElements(b, loc, x));
    int64_t flat =
        type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
    Value slice =
        nn::buildExtractSlice(b, loc, RankedTensorType::get({flat}, element),
                              column, {offset, zero}, {size, one}, {one, one});
    slice.getDefiningOp()->setAttr(TrainDialect::getInRangeAttrName(),
                                   b.getUnitAttr());
    offset = affine::makeComposedFoldedAffineApply(b, loc, sum, {offset, size});
    parts.push_back(slice);
    if (type.getRank() == 0)
      parts.back() = tensor::CollapseShapeOp::create(
          b, loc, type, slice, ArrayRef<ReassociationIndices>());
    else if (type.getRank() > 1)
      parts.back() = tensor::ExpandShapeOp::create(
          b, loc, type, slice,
          ArrayRef<ReassociationIndices>{nn::identityDims(type.getRank())},
          sizes);
  }
  return parts;
}

DenseSystem::DenseSystem(OpBuilder &builder, LeastSquaresOp op, ValueRange xs,
                         ValueRange residuals)
    : b(builder), op(op), loc(op.getLoc()), element(op.getElementType()),
      xs(xs) {
  SmallVector<Value> columns;
  for (Value residual : residuals)
    columns.push_back(toMatrix(residual, tensorType(residual).getRank()));
  Value r = concat(0, columns);
  jacobian = emitJacobian(residuals);
  if (tensorType(jacobian).hasStaticShape()) {
    ArrayRef<int64_t> shape = tensorType(jacobian).getShape();
    isUnderdetermined = shape[0] < shape[1];
    system = isUnderdetermined ? emitUnderdetermined(jacobian, r)
                               : emitOverdetermined(r);
    return;
  }
  Value numRows = tensor::DimOp::create(b, loc, jacobian, 0);
  Value numColumns = tensor::DimOp::create(b, loc, jacobian, 1);
  isUnder = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, numRows,
                                  numColumns);
  system = emitSmaller(r);
}

LeastSquaresStep DenseSystem::emitStep(Value regularizer) {
  LeastSquaresStep step;
  Value z = solve(regularizer, step.success);
  if (!isUnder) {
    step.deltas =
        split(isUnderdetermined ? matmul(jacobian, true, z, false) : z);
    return step;
  }
  auto branch = scf::IfOp::create(b, loc, z.getType(), isUnder,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(branch.thenBlock());
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    OpFoldResult numRows = tensor::getMixedSize(b, loc, jacobian, 0);
    auto used = tensor::ExtractSliceOp::create(
        b, loc, z, ArrayRef<OpFoldResult>{zero, zero},
        ArrayRef<OpFoldResult>{numRows, one}, ArrayRef<OpFoldResult>{one, one});
    used->setAttr(TrainDialect::getInRangeAttrName(), b.getUnitAttr());
    Value product = matmul(jacobian, true, used, false);
    scf::YieldOp::create(b, loc, nn::buildCast(b, loc, product, z.getType()));
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, loc, z);
  }
  step.deltas = split(branch.getResult(0));
  return step;
}

//===----------------------------------------------------------------------===//
// Conjugate gradients
//===----------------------------------------------------------------------===//

static constexpr double kDefaultTolerance = 1e-6;

/// Returns the distance of 1 to the next number of `type`.
static double getEpsilon(Type type) {
  APFloat one(cast<FloatType>(type).getFloatSemantics(), 1), next = one;
  next.next(/*nextDown=*/false);
  return next.convertToDouble() - 1.0;
}

namespace {
/// Steps by conjugate gradients.
class IterativeSystem : public LeastSquaresSystem {
public:
  IterativeSystem(OpBuilder &builder, LeastSquaresOp op, ValueRange xs,
                  ValueRange residuals)
      : b(builder), op(op), loc(op.getLoc()), xs(xs), residuals(residuals),
        rhs(pullBack(residuals)), square(dot(rhs, rhs)) {}

  LeastSquaresStep emitStep(Value regularizer) override;

private:
  /// The values at the start of an iteration: the step so far, the residual of
  /// the right hand side, the direction, the squared norm of the residual, and
  /// the largest curvature so far of a direction of norm 1.
  struct State {
    ValueRange deltas, rest, direction;
    Value square, steepest;
  };
  State getState(ValueRange carried);
  SmallVector<Value> emitIteration(State state, Value regularizer);
  SmallVector<Value> pullBack(ValueRange cotangents);
  Value dot(ValueRange lhs, ValueRange rhs);
  SmallVector<Value> addScaled(ValueRange to, Value factor, ValueRange other);

  OpBuilder &b;
  LeastSquaresOp op;
  Location loc;
  SmallVector<Value> xs, residuals;
  /// J^T r, and the square of its norm.
  SmallVector<Value> rhs;
  Value square;
};
} // namespace

/// Emits J^T `cotangents`.
SmallVector<Value> IterativeSystem::pullBack(ValueRange cotangents) {
  return GradientOp::create(b, loc, ValueRange(xs).getTypes(), residuals, xs,
                            cotangents, Unconnected::zeros)
      .getGradients();
}

/// Emits the sum of the products of all elements.
Value IterativeSystem::dot(ValueRange lhs, ValueRange rhs) {
  Value sum;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs)) {
    Value products = arith::MulFOp::create(b, loc, left, right);
    Value part = nn::buildSum(b, loc, products,
                              nn::identityDims(tensorType(left).getRank()));
    sum = sum ? arith::AddFOp::create(b, loc, sum, part) : part;
  }
  return sum;
}

/// Emits `to` + `factor` * `other`.
SmallVector<Value> IterativeSystem::addScaled(ValueRange to, Value factor,
                                              ValueRange other) {
  SmallVector<Value> sums;
  for (auto [left, right] : llvm::zip_equal(to, other)) {
    Value scale = nn::buildBroadcast(b, loc, factor, {}, right);
    sums.push_back(arith::AddFOp::create(
        b, loc, left, arith::MulFOp::create(b, loc, scale, right)));
  }
  return sums;
}

IterativeSystem::State IterativeSystem::getState(ValueRange carried) {
  size_t count = xs.size();
  return {carried.slice(0, count), carried.slice(count, count),
          carried.slice(2 * count, count), carried[3 * count],
          carried[3 * count + 1]};
}

SmallVector<Value> IterativeSystem::emitIteration(State state,
                                                  Value regularizer) {
  auto pushed = JvpOp::create(b, loc, ValueRange(residuals).getTypes(),
                              residuals, xs, state.direction);
  SmallVector<Value> product = addScaled(pullBack(pushed.getDerivatives()),
                                         regularizer, state.direction);
  ElementwiseExpr curvature(b, loc, dot(state.direction, product));
  ElementwiseExpr norm = curvature.with(dot(state.direction, state.direction));
  ElementwiseExpr quotient = curvature / norm;
  ElementwiseExpr known = curvature.with(state.steepest);
  ElementwiseExpr steepest = (quotient > known).select(quotient, known);
  // A direction along which nothing but rounding changes ends the iterations.
  ElementwiseExpr isCurved =
      curvature > steepest * norm * getEpsilon(op.getElementType());
  ElementwiseExpr square = curvature.with(state.square);
  ElementwiseExpr zero = curvature.splat(0.0);
  ElementwiseExpr length = isCurved.select(square / curvature, zero);
  SmallVector<Value> next = addScaled(state.deltas, length, state.direction);
  SmallVector<Value> rest = addScaled(state.rest, -length, product);
  ElementwiseExpr newSquare =
      isCurved.select(curvature.with(dot(rest, rest)), zero);
  SmallVector<Value> direction =
      addScaled(rest, newSquare / square, state.direction);
  llvm::append_range(next, rest);
  llvm::append_range(next, direction);
  next.push_back(newSquare);
  next.push_back(steepest);
  return next;
}

LeastSquaresStep IterativeSystem::emitStep(Value regularizer) {
  SmallVector<Value> inits;
  for (Value part : rhs)
    inits.push_back(nn::buildSplat(b, loc, part, 0.0));
  llvm::append_range(inits, rhs);
  llvm::append_range(inits, rhs);
  inits.push_back(square);
  inits.push_back(nn::buildSplat(b, loc, square, 0.0));
  Value count = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1), limit;
  if (std::optional<int64_t> given = op.getCgIterations())
    limit = arith::ConstantIndexOp::create(b, loc, *given);
  else
    for (Value x : xs) {
      Value part = countElements(b, loc, x);
      limit = limit ? arith::AddIOp::create(b, loc, limit, part) : part;
    }
  // A residual below this is a rounding error.
  double tolerance =
      std::max(op.getCgTolerance() ? op.getCgTolerance()->convertToDouble()
                                   : kDefaultTolerance,
               getEpsilon(op.getElementType()));
  Value enough = ElementwiseExpr(b, loc, square) * (tolerance * tolerance);
  SmallVector<Value> carried{count};
  llvm::append_range(carried, inits);
  auto loop = scf::WhileOp::create(
      b, loc, ValueRange(carried).getTypes(), carried,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        Value isLarge =
            arith::CmpFOp::create(nested, loc, arith::CmpFPredicate::OGT,
                                  args[args.size() - 2], enough);
        Value isFar =
            tensor::ExtractOp::create(nested, loc, isLarge, ValueRange());
        Value isEarly = arith::CmpIOp::create(
            nested, loc, arith::CmpIPredicate::slt, args[0], limit);
        Value goesOn = arith::AndIOp::create(nested, loc, isEarly, isFar);
        scf::ConditionOp::create(nested, loc, goesOn, args);
      },
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(nested.saveInsertionPoint());
        SmallVector<Value> next{arith::AddIOp::create(b, loc, args[0], one)};
        llvm::append_range(
            next, emitIteration(getState(args.drop_front()), regularizer));
        scf::YieldOp::create(b, loc, next);
      });
  State end = getState(loop.getResults().drop_front());
  return {SmallVector<Value>(end.deltas), Value()};
}

std::unique_ptr<LeastSquaresSystem>
emitLeastSquaresSystem(OpBuilder &builder, LeastSquaresOp op, ValueRange xs,
                       ValueRange residuals) {
  if (op.getSolver() == Solver::cg)
    return std::make_unique<IterativeSystem>(builder, op, xs, residuals);
  return std::make_unique<DenseSystem>(builder, op, xs, residuals);
}

} // namespace flywheel::train
