//===- ValueBounds.cpp - Bounds of dimension sizes and indices ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replacements for models that are wrong in MLIR 22.1.8:
// * `arith.addi`, `subi`, `muli` and `floordivsi` reach `llvm_unreachable` when
//   they are asked for a dimension of a tensor.
// * `scf.for`, `scf.if` and `arith.select` add columns to the set of
//   constraints while its worklist has others by their column number, which
//   changes: the next number refers to another value, or to none.
// * `tensor.dim` and `memref.dim` accept every number as that of a dimension.
// * `scf.for` bounds a carried sum by the init plus the trip count times the
//   addend of one iteration, even if the loop does not run, or if the addend
//   changes.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Interfaces/ValueBounds.h"

#include "SizeRoots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

/// The maximum number of nested comparisons for one bound, and their maximum
/// depth. An op whose values come from many others gives no bound rather than
/// search for long.
constexpr unsigned kMaxComparisons = 32, kMaxDepth = 4;

namespace {
using Constraints = ValueBoundsConstraintSet;
using Variable = Constraints::Variable;
using Comparison = Constraints::ComparisonOperator;
using Dim = std::optional<int64_t>;

/// The comparisons that this thread is making.
struct Search {
  unsigned depth = 0, comparisons = 0;
  /// The loops that carry a value which is being compared, with its number.
  SmallVector<std::pair<Operation *, unsigned>> carried;
};
} // namespace

static thread_local Search search;

/// Returns true if `lhs` and `rhs` are known to compare by `comparison`, with
/// constraints of their own.
static bool isKnown(const Variable &lhs, Comparison comparison,
                    const Variable &rhs) {
  if (search.depth == 0)
    search.comparisons = 0;
  if (search.depth == kMaxDepth || search.comparisons == kMaxComparisons)
    return false;
  ++search.depth;
  ++search.comparisons;
  bool result = Constraints::compare(lhs, comparison, rhs);
  --search.depth;
  return result;
}

static void setEqual(Constraints &constraints, Value value, Dim dim,
                     Value other, Dim otherDim) {
  AffineExpr expr = constraints.getExpr(other, otherDim);
  if (dim)
    constraints.bound(value)[*dim] == expr;
  else
    constraints.bound(value) == expr;
}

/// Bounds `value` by the size that it comes from. Returns false if that is not
/// known.
static bool setRoot(Constraints &constraints, Value value, Dim dim) {
  flywheel::SizeRoots roots;
  flywheel::SizeRoot root = roots.get(value, dim);
  if (root.value == value)
    return false;
  if (root.value) {
    setEqual(constraints, value, dim, root.value,
             root.number < 0 ? Dim() : Dim(root.number));
  } else if (dim) {
    constraints.bound(value)[*dim] == root.number;
  } else {
    constraints.bound(value) == root.number;
  }
  return true;
}

/// Bounds `value`, which is one of two others.
static void setOneOf(Constraints &constraints, Value value, Dim dim, Value a,
                     Value b) {
  for (auto [low, high] : {std::make_pair(a, b), std::make_pair(b, a)}) {
    if (!isKnown(Variable(low, dim), Comparison::LE, Variable(high, dim)))
      continue;
    AffineExpr least = constraints.getExpr(low, dim),
               most = constraints.getExpr(high, dim);
    if (dim) {
      constraints.bound(value)[*dim] >= least;
      constraints.bound(value)[*dim] <= most;
    } else {
      constraints.bound(value) >= least;
      constraints.bound(value) <= most;
    }
  }
}

namespace {
/// A model of an op for which `Model::populate` has the bounds of index results
/// and of dimensions alike.
template <typename Model, typename OpT>
struct BoundsModel : ValueBoundsOpInterface::ExternalModel<Model, OpT> {
  void populateBoundsForIndexValue(Operation *op, Value value,
                                   Constraints &constraints) const {
    Model::populate(cast<OpT>(op), value, std::nullopt, constraints);
  }
  void populateBoundsForShapedValueDim(Operation *op, Value value, int64_t dim,
                                       Constraints &constraints) const {
    Model::populate(cast<OpT>(op), value, dim, constraints);
  }
};

/// Arithmetic on indices. Dimensions of tensors get no bounds: their sizes may
/// differ before they are checked.
template <typename OpT>
struct ArithBounds : BoundsModel<ArithBounds<OpT>, OpT> {
  static void populate(OpT op, Value value, Dim dim, Constraints &constraints) {
    if (dim)
      return;
    // The order in which columns are made is the same with every compiler.
    AffineExpr lhs = constraints.getExpr(op.getLhs());
    AffineExpr rhs = constraints.getExpr(op.getRhs());
    if constexpr (std::is_same_v<OpT, arith::AddIOp>) {
      constraints.bound(value) == lhs + rhs;
    } else if constexpr (std::is_same_v<OpT, arith::SubIOp>) {
      constraints.bound(value) == lhs - rhs;
    } else if constexpr (std::is_same_v<OpT, arith::MulIOp>) {
      constraints.bound(value) == lhs *rhs;
    } else {
      static_assert(std::is_same_v<OpT, arith::FloorDivSIOp>);
      // A quotient by anything but a positive constant is not affine.
      auto divisor = dyn_cast<AffineConstantExpr>(rhs);
      if (divisor && divisor.getValue() > 0)
        constraints.bound(value) == lhs.floorDiv(rhs);
    }
  }
};

/// Quotients and remainders of indices by a positive constant. Signed and
/// unsigned ops are the same if the dividend is not negative.
template <typename OpT>
struct DivisionBounds : BoundsModel<DivisionBounds<OpT>, OpT> {
  static constexpr bool isCeil = std::is_same_v<OpT, arith::CeilDivSIOp> ||
                                 std::is_same_v<OpT, arith::CeilDivUIOp>;
  static constexpr bool isRemainder = std::is_same_v<OpT, arith::RemSIOp> ||
                                      std::is_same_v<OpT, arith::RemUIOp>;
  static constexpr bool isSigned = std::is_same_v<OpT, arith::CeilDivSIOp> ||
                                   std::is_same_v<OpT, arith::DivSIOp> ||
                                   std::is_same_v<OpT, arith::RemSIOp>;

  static void populate(OpT op, Value value, Dim dim, Constraints &constraints) {
    if (dim)
      return;
    AffineExpr lhs = constraints.getExpr(op.getLhs());
    auto divisor =
        dyn_cast<AffineConstantExpr>(constraints.getExpr(op.getRhs()));
    if (!divisor || divisor.getValue() < 1)
      return;
    bool isPositive = isKnown(
        Variable(op.getLhs()), Comparison::GE,
        Variable(OpFoldResult(Builder(op.getContext()).getIndexAttr(0))));
    if constexpr (isRemainder) {
      constraints.bound(value) <= divisor.getValue() - 1;
      constraints.bound(value) >=
          (isPositive || !isSigned ? 0 : 1 - divisor.getValue());
      if (isPositive)
        constraints.bound(value) <= lhs;
    } else if constexpr (isCeil) {
      if (isSigned || isPositive)
        constraints.bound(value) == lhs.ceilDiv(divisor);
    } else if (isPositive) {
      constraints.bound(value) == lhs.floorDiv(divisor);
    } else if (isSigned) {
      // Towards zero.
      constraints.bound(value) >= lhs.floorDiv(divisor);
      constraints.bound(value) <= lhs.ceilDiv(divisor);
    }
  }
};

/// The smaller or the larger of two indices. As unsigned numbers, negative ones
/// are above all others.
template <typename OpT>
struct MinMaxBounds : BoundsModel<MinMaxBounds<OpT>, OpT> {
  static constexpr bool isMin = std::is_same_v<OpT, arith::MinSIOp> ||
                                std::is_same_v<OpT, arith::MinUIOp>;
  static constexpr bool isSigned = std::is_same_v<OpT, arith::MinSIOp> ||
                                   std::is_same_v<OpT, arith::MaxSIOp>;

  static void populate(OpT op, Value value, Dim dim, Constraints &constraints) {
    if (dim)
      return;
    Value lhs = op.getLhs(), rhs = op.getRhs();
    bool isLeftSize = isNotNegative(lhs), isRightSize = isNotNegative(rhs);
    bool isLeftOrdered = isSigned || isLeftSize;
    bool isRightOrdered = isSigned || isRightSize;
    if (isLeftOrdered)
      setBound(constraints, value, lhs);
    if (isRightOrdered)
      setBound(constraints, value, rhs);
    if (isMin &&
        (isSigned ? isLeftSize && isRightSize : isLeftSize || isRightSize))
      constraints.bound(value) >= 0;
    if (isLeftOrdered && isRightOrdered)
      setOneOf(constraints, value, std::nullopt, lhs, rhs);
  }

private:
  static bool isNotNegative(Value number) {
    OpFoldResult zero = Builder(number.getContext()).getIndexAttr(0);
    return isKnown(Variable(number), Comparison::GE, Variable(zero));
  }

  static void setBound(Constraints &constraints, Value value, Value operand) {
    AffineExpr expr = constraints.getExpr(operand);
    if constexpr (isMin)
      constraints.bound(value) <= expr;
    else
      constraints.bound(value) >= expr;
  }
};

/// A read of a dimension that does not exist is an error, and gives no bound.
template <typename OpT> struct DimBounds : BoundsModel<DimBounds<OpT>, OpT> {
  static void populate(OpT op, Value value, Dim, Constraints &constraints) {
    std::optional<int64_t> dim = op.getConstantIndex();
    auto type = cast<ShapedType>(op.getSource().getType());
    constraints.bound(value) >= 0;
    if (dim && type.hasRank() && *dim >= 0 && *dim < type.getRank())
      constraints.bound(value) == constraints.getExpr(op.getSource(), dim);
  }
};

struct SelectBounds : BoundsModel<SelectBounds, arith::SelectOp> {
  static void populate(arith::SelectOp op, Value value, Dim dim,
                       Constraints &constraints) {
    if (!setRoot(constraints, value, dim))
      setOneOf(constraints, value, dim, op.getTrueValue(), op.getFalseValue());
  }
};

struct IfBounds : BoundsModel<IfBounds, scf::IfOp> {
  static void populate(scf::IfOp op, Value value, Dim dim,
                       Constraints &constraints) {
    if (setRoot(constraints, value, dim))
      return;
    unsigned i = cast<OpResult>(value).getResultNumber();
    setOneOf(constraints, value, dim, op.thenYield().getOperand(i),
             op.elseYield().getOperand(i));
  }
};

struct ForBounds : BoundsModel<ForBounds, scf::ForOp> {
  static void populate(scf::ForOp op, Value value, Dim dim,
                       Constraints &constraints) {
    if (value == op.getInductionVar())
      return populateInductionVar(op, value, constraints);
    if (setRoot(constraints, value, dim))
      return;
    auto argument = dyn_cast<BlockArgument>(value);
    unsigned i = argument ? argument.getArgNumber() - op.getNumInductionVars()
                          : cast<OpResult>(value).getResultNumber();
    std::pair<Operation *, unsigned> carried(op, i);
    // An equality of a carried value must not be derived from itself.
    if (llvm::is_contained(search.carried, carried))
      return;
    search.carried.push_back(carried);
    llvm::scope_exit end([&] { search.carried.pop_back(); });
    if (isKnown(Variable(op.getYieldedValues()[i], dim), Comparison::EQ,
                Variable(op.getRegionIterArg(i), dim)))
      setEqual(constraints, value, dim, op.getInitArgs()[i], dim);
  }

private:
  static void populateInductionVar(scf::ForOp op, Value value,
                                   Constraints &constraints) {
    // A bound may be a negative number, which is a large one there.
    if (op.getUnsignedCmp())
      return;
    AffineExpr lower = constraints.getExpr(op.getLowerBound());
    AffineExpr upper = constraints.getExpr(op.getUpperBound());
    AffineExpr step = constraints.getExpr(op.getStep());
    constraints.bound(value) >= lower;
    constraints.bound(value) < upper;
    // The bound is that of the last iteration. If there is none, the body does
    // not run.
    auto constant = dyn_cast<AffineConstantExpr>(step);
    if (constant && constant.getValue() > 1)
      constraints.bound(value) <=
          lower + ((upper - lower).ceilDiv(step) - 1) * step;
  }
};

/// The results of a while loop have the shapes of the values that its condition
/// forwards. Index results that the iterations compute have no bounds.
struct WhileBounds
    : ValueBoundsOpInterface::ExternalModel<WhileBounds, scf::WhileOp> {
  void populateBoundsForIndexValue(Operation *, Value value,
                                   Constraints &constraints) const {
    setRoot(constraints, value, std::nullopt);
  }

  void populateBoundsForShapedValueDim(Operation *op, Value value, int64_t dim,
                                       Constraints &constraints) const {
    if (setRoot(constraints, value, dim))
      return;
    auto loop = cast<scf::WhileOp>(op);
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() != loop.getAfterBody())
      return;
    unsigned number = argument ? argument.getArgNumber()
                               : cast<OpResult>(value).getResultNumber();
    setEqual(constraints, value, dim, loop.getConditionOp().getArgs()[number],
             dim);
  }
};
} // namespace

void flywheel::registerValueBounds(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    arith::AddIOp::attachInterface<ArithBounds<arith::AddIOp>>(*context);
    arith::SubIOp::attachInterface<ArithBounds<arith::SubIOp>>(*context);
    arith::MulIOp::attachInterface<ArithBounds<arith::MulIOp>>(*context);
    arith::FloorDivSIOp::attachInterface<ArithBounds<arith::FloorDivSIOp>>(
        *context);
    arith::DivSIOp::attachInterface<DivisionBounds<arith::DivSIOp>>(*context);
    arith::DivUIOp::attachInterface<DivisionBounds<arith::DivUIOp>>(*context);
    arith::CeilDivSIOp::attachInterface<DivisionBounds<arith::CeilDivSIOp>>(
        *context);
    arith::CeilDivUIOp::attachInterface<DivisionBounds<arith::CeilDivUIOp>>(
        *context);
    arith::RemSIOp::attachInterface<DivisionBounds<arith::RemSIOp>>(*context);
    arith::RemUIOp::attachInterface<DivisionBounds<arith::RemUIOp>>(*context);
    arith::MinSIOp::attachInterface<MinMaxBounds<arith::MinSIOp>>(*context);
    arith::MinUIOp::attachInterface<MinMaxBounds<arith::MinUIOp>>(*context);
    arith::MaxSIOp::attachInterface<MinMaxBounds<arith::MaxSIOp>>(*context);
    arith::MaxUIOp::attachInterface<MinMaxBounds<arith::MaxUIOp>>(*context);
    arith::SelectOp::attachInterface<SelectBounds>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    memref::DimOp::attachInterface<DimBounds<memref::DimOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    tensor::DimOp::attachInterface<DimBounds<tensor::DimOp>>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    scf::ForOp::attachInterface<ForBounds>(*context);
    scf::IfOp::attachInterface<IfBounds>(*context);
    scf::WhileOp::attachInterface<WhileBounds>(*context);
  });
}
