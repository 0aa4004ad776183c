//===- AddCotangents.cpp - Sums of cotangents -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is zero but for some parts is a chain of ops, each of which adds
// to a part of the value before it, or gives it another shape; the chain starts
// at zeros. Adding such a value to a sum is the same chain from that sum.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Autodiff/AddCotangents.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace flywheel {
namespace {
/// One op of a chain: the base that it adds to, and the addend. A null addend
/// means that the op is a reshape.
struct Link {
  Value base, addend;
  /// The op that reads the part of the base that is added to. Null if the base
  /// is zero there, or if `op` adds by itself.
  Operation *read = nullptr;
};
} // namespace

/// Returns the link of an op that reads a part of `base` by `read`, adds to it,
/// and writes the sum, `written`, in place of that part.
template <typename ReadOp>
static std::optional<Link> getSum(Value written, Value base,
                                  function_ref<bool(ReadOp)> isSamePart) {
  auto add = written.getDefiningOp<arith::AddFOp>();
  auto read = add ? add.getLhs().getDefiningOp<ReadOp>() : ReadOp();
  if (!read || !isSamePart(read))
    return std::nullopt;
  return Link{base, add.getRhs(), read};
}

/// Returns true if two slices of one tensor have no element in common, as they
/// are apart in a dimension by constants. Strides of 1 are expected.
static bool areDisjoint(ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        tensor::InsertSliceOp other) {
  auto endsBefore = [](OpFoldResult offset, OpFoldResult size,
                       OpFoldResult next) {
    std::optional<int64_t> from = getConstantIntValue(offset),
                           length = getConstantIntValue(size),
                           to = getConstantIntValue(next);
    return from && length && to && *from + *length <= *to;
  };
  SmallVector<OpFoldResult> otherOffsets = other.getMixedOffsets(),
                            otherSizes = other.getMixedSizes();
  for (auto [offset, size, otherOffset, otherSize] :
       llvm::zip_equal(offsets, sizes, otherOffsets, otherSizes))
    if (endsBefore(offset, size, otherOffset) ||
        endsBefore(otherOffset, otherSize, offset))
      return true;
  return false;
}

/// Returns true if a slice of `base` is zero: of zeros, into which slices apart
/// from it were put.
static bool isZeroThere(Value base, ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        ArrayRef<OpFoldResult> strides) {
  auto isOne = [](OpFoldResult stride) { return isOneInteger(stride); };
  while (!nn::isZeros(base)) {
    auto insert = base.getDefiningOp<tensor::InsertSliceOp>();
    if (!insert || !llvm::all_of(strides, isOne) ||
        !llvm::all_of(insert.getMixedStrides(), isOne) ||
        !areDisjoint(offsets, sizes, insert))
      return false;
    base = insert.getDest();
  }
  return true;
}

static std::optional<Link> getLink(tensor::InsertSliceOp op) {
  Value base = op.getDest();
  if (isZeroThere(base, op.getMixedOffsets(), op.getMixedSizes(),
                  op.getMixedStrides()))
    return Link{base, op.getSource()};
  return getSum<tensor::ExtractSliceOp>(
      op.getSource(), base, [&](tensor::ExtractSliceOp read) {
        return read.getSource() == base &&
               read.isSameAs(op, isEqualConstantIntOrValue);
      });
}

static std::optional<Link> getLink(tensor::InsertOp op) {
  Value base = op.getDest();
  if (nn::isZeros(base))
    return Link{base, op.getScalar()};
  return getSum<tensor::ExtractOp>(
      op.getScalar(), base, [&](tensor::ExtractOp read) {
        return read.getTensor() == base && read.getIndices() == op.getIndices();
      });
}

/// Returns true if the number of `indices` is known to be 1.
static bool isOneIndex(Value indices) {
  auto type = cast<RankedTensorType>(indices.getType());
  return type.hasStaticShape() && type.getNumElements() == 1;
}

static bool isNarrow(Value value) {
  return getElementTypeOrSelf(value).getIntOrFloatBitWidth() < 32;
}

static std::optional<Link> getLink(nn::ScatterOp op) {
  Value base = op.getInit();
  if (!isOneIndex(op.getIndices()))
    return std::nullopt;
  return getSum<nn::GatherOp>(op.getUpdates(), base, [&](nn::GatherOp read) {
    return read.getX() == base && read.getIndices() == op.getIndices() &&
           read.getAxis() == op.getAxis();
  });
}

/// Returns the link of `value` if it is a sum; nullopt otherwise.
static std::optional<Link> getLink(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Link>>(op)
      .Case<tensor::InsertSliceOp, tensor::InsertOp, nn::ScatterOp>(
          [](auto op) { return getLink(op); })
      .Case([](nn::ScatterAddOp op) -> std::optional<Link> {
        // All of a narrow tensor would be widened to add rows to it, which may
        // have one index.
        if (op.getInit().getType() != op.getType() ||
            (isNarrow(op) && !isOneIndex(op.getIndices())))
          return std::nullopt;
        return Link{op.getInit(), op.getUpdates()};
      })
      .Case([](nn::ScatterAddAlongAxisOp op) -> std::optional<Link> {
        if (op.getInit().getType() != op.getType() || isNarrow(op))
          return std::nullopt;
        return Link{op.getInit(), op.getUpdates()};
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [](auto op) { return Link{op.getSrc(), Value()}; })
      .Case([](tensor::CastOp op) -> std::optional<Link> {
        if (!isa<RankedTensorType>(op.getSource().getType()))
          return std::nullopt;
        return Link{op.getSource(), Value()};
      })
      .Default(std::nullopt);
}

/// Returns the ops that make `value` of zeros, the last one first. Empty if it
/// is not zero but for parts.
static SmallVector<Operation *> getChain(Value value) {
  SmallVector<Operation *> chain;
  while (!nn::isZeros(value)) {
    std::optional<Link> link = getLink(value);
    if (!link)
      return {};
    chain.push_back(value.getDefiningOp());
    value = link->base;
  }
  return chain;
}

/// Reshapes `value`, of the type of the result of `reshape`, to the type of its
/// operand.
static Value emitInverse(OpBuilder &b, Operation *reshape, Value value) {
  Location loc = reshape->getLoc();
  return llvm::TypeSwitch<Operation *, Value>(reshape)
      .Case([&](tensor::ExpandShapeOp op) {
        return tensor::CollapseShapeOp::create(b, loc, op.getSrcType(), value,
                                               op.getReassociationIndices());
      })
      .Case([&](tensor::CollapseShapeOp op) {
        return tensor::ExpandShapeOp::create(
            b, loc, op.getSrcType(), value, op.getReassociationIndices(),
            tensor::getMixedSizes(b, loc, op.getSrc()));
      })
      .Case([&](tensor::CastOp op) {
        return tensor::CastOp::create(b, loc, op.getSource().getType(), value);
      });
}

static Value emitChain(OpBuilder &b, ArrayRef<Operation *> chain, Value sum);

/// Returns the ops that make the part which `insert` adds, of zeros, the last
/// one first; empty if the part is not zero but for parts. Reshapes at the end
/// that only add or drop dimensions of size 1 are left out: a slice may have
/// either rank. `type` becomes that of the part without them.
static SmallVector<Operation *> getPartChain(tensor::InsertSliceOp insert,
                                             RankedTensorType &type) {
  SmallVector<Operation *> chain =
      getChain(getLink(insert.getResult())->addend);
  RankedTensorType full = tensor::ExtractSliceOp::inferResultType(
      insert.getDestType(), insert.getMixedSizes());
  ArrayRef<Operation *> rest = chain, found = chain;
  RankedTensorType restType = type;
  while (!rest.empty() &&
         isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(rest.front())) {
    restType = cast<RankedTensorType>(rest.front()->getOperand(0).getType());
    if (isRankReducedType(full, restType) != SliceVerificationResult::Success)
      break;
    rest = rest.drop_front();
    if (rest.empty())
      break;
    type = restType;
    found = rest;
  }
  return SmallVector<Operation *>(found);
}

/// Returns `base` plus the addend of `op`, which adds to zeros or to another
/// sum.
static Value emitLink(OpBuilder &b, Operation *op, Value base) {
  Location loc = op->getLoc();
  auto mark = [&](Operation *made) {
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return made->getResult(0);
  };
  auto add = [&](Operation *read) {
    Value addend = getLink(op->getResult(0))->addend;
    return arith::AddFOp::create(b, loc, mark(read), addend).getResult();
  };
  auto addRows = [&](Value indices, uint64_t axis) {
    Type type = getLink(op->getResult(0))->addend.getType();
    Value rows = add(nn::GatherOp::create(b, loc, type, base, indices, axis));
    return mark(nn::ScatterOp::create(b, loc, base.getType(), base, indices,
                                      rows, axis));
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](tensor::InsertSliceOp op) {
        SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                                  sizes = op.getMixedSizes(),
                                  strides = op.getMixedStrides();
        // Nothing is added to zeros.
        if (isZeroThere(base, offsets, sizes, strides))
          return mark(tensor::InsertSliceOp::create(
              b, loc, getLink(op->getResult(0))->addend, base, offsets, sizes,
              strides));
        // All but some parts of the addend may be zero, too.
        RankedTensorType type = op.getSourceType();
        SmallVector<Operation *> chain = getPartChain(op, type);
        auto read = tensor::ExtractSliceOp::create(b, loc, type, base, offsets,
                                                   sizes, strides);
        Value part =
            chain.empty() ? add(read) : emitChain(b, chain, mark(read));
        return mark(tensor::InsertSliceOp::create(b, loc, part, base, offsets,
                                                  sizes, strides));
      })
      .Case([&](tensor::InsertOp op) {
        Value element =
            add(tensor::ExtractOp::create(b, loc, base, op.getIndices()));
        return mark(
            tensor::InsertOp::create(b, loc, element, base, op.getIndices()));
      })
      .Case([&](nn::ScatterOp op) {
        return addRows(op.getIndices(), op.getAxis());
      })
      .Case([&](nn::ScatterAddOp op) {
        if (isNarrow(base))
          return addRows(op.getIndices(), op.getAxis());
        return mark(nn::ScatterAddOp::create(b, loc, base.getType(), base,
                                             op.getIndices(), op.getUpdates(),
                                             op.getAxis()));
      })
      .Case([&](nn::ScatterAddAlongAxisOp op) {
        return mark(nn::ScatterAddAlongAxisOp::create(
            b, loc, base.getType(), base, op.getIndices(), op.getUpdates(),
            op.getAxis()));
      })
      .Case([&](tensor::ExpandShapeOp op) {
        return tensor::ExpandShapeOp::create(b, loc, op.getResultType(), base,
                                             op.getReassociationIndices(),
                                             op.getMixedOutputShape());
      })
      .Case([&](tensor::CollapseShapeOp op) {
        return tensor::CollapseShapeOp::create(b, loc, op.getResultType(), base,
                                               op.getReassociationIndices());
      })
      .Case([&](tensor::CastOp op) {
        return tensor::CastOp::create(b, loc, op.getType(), base);
      });
}

/// Returns `sum` plus the value that the ops of `chain` compute from zeros.
static Value emitChain(OpBuilder &b, ArrayRef<Operation *> chain, Value sum) {
  for (Operation *op : chain)
    if (!getLink(op->getResult(0))->addend)
      sum = emitInverse(b, op, sum);
  for (Operation *op : llvm::reverse(chain))
    sum = emitLink(b, op, sum);
  return sum;
}

/// Returns the op that reads the part of the destination of `insert` which a
/// chain of ops adds to before it is inserted again, or null.
static tensor::ExtractSliceOp findSummedPart(tensor::InsertSliceOp insert) {
  Value part = insert.getSource();
  while (std::optional<Link> link = getLink(part))
    part = link->base;
  auto read = part.getDefiningOp<tensor::ExtractSliceOp>();
  return read && read.getSource() == insert.getDest() &&
                 read.isSameAs(insert, isEqualConstantIntOrValue)
             ? read
             : nullptr;
}

namespace {
/// Determines if a value is the sum of a start value and of values that do not
/// depend on it, computed by a chain of ops that may include loops and
/// branches.
class SumFrom {
public:
  explicit SumFrom(Value start) : start(start) {}

  /// Returns true if `value`, which has one use, is such a sum, and nothing but
  /// the chain uses `start` and the sums between.
  bool check(Value value) {
    return value.hasOneUse() && reaches(value) &&
           llvm::all_of(sums, [&](Value sum) {
             return sum == value ||
                    llvm::all_of(sum.getUses(), [&](OpOperand &use) {
                      Operation *user = use.getOwner();
                      return bases.lookup(user) == sum &&
                             llvm::count(user->getOperands(), sum) == 1;
                    });
           });
  }

private:
  bool reaches(Value value) {
    if (!sums.insert(value) || value == start)
      return true;
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    unsigned result = cast<OpResult>(value).getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return llvm::all_of(branch->getRegions(), [&](Region &region) {
        Operation *yield = region.front().getTerminator();
        bases[yield] = yield->getOperand(result);
        return reaches(yield->getOperand(result));
      });
    Value base;
    if (auto add = dyn_cast<arith::AddFOp>(op)) {
      base = add.getLhs();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (!SumFrom(loop.getRegionIterArg(result))
               .check(loop.getYieldedValues()[result]))
        return false;
      base = loop.getInitArgs()[result];
    } else if (std::optional<Link> link = getLink(value)) {
      base = link->base;
      if (link->read)
        bases[link->read] = base;
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      tensor::ExtractSliceOp read = findSummedPart(insert);
      if (!read || !SumFrom(read).check(insert.getSource()))
        return false;
      base = insert.getDest();
      bases[read] = base;
    }
    if (!base)
      return false;
    bases[op] = base;
    return reaches(base);
  }

  Value start;
  llvm::SmallSetVector<Value, 4> sums;
  /// The sum that each op of the chain adds to.
  llvm::SmallDenseMap<Operation *, Value> bases;
};
} // namespace

/// Returns true if `addInside` can replace the zeros from which `term`, which
/// has no other use, is computed by a sum.
static bool isFromZeros(Value term) {
  if (nn::isZeros(term) || !getChain(term).empty())
    return true;
  Operation *op = term.getDefiningOp();
  if (auto loop = dyn_cast_or_null<scf::ForOp>(op)) {
    unsigned result = cast<OpResult>(term).getResultNumber();
    return nn::isZeros(loop.getInitArgs()[result]) &&
           SumFrom(loop.getRegionIterArg(result))
               .check(loop.getYieldedValues()[result]);
  }
  auto branch = dyn_cast_or_null<scf::IfOp>(op);
  return branch && llvm::all_of(branch->getRegions(), [&](Region &region) {
           Value yielded = region.front().getTerminator()->getOperand(
               cast<OpResult>(term).getResultNumber());
           return region.isAncestor(yielded.getParentRegion())
                      ? yielded.hasOneUse() && isFromZeros(yielded)
                      : nn::isZeros(yielded);
         });
}

/// Returns true if `value`, which can be used behind `op`, can be used by it.
static bool isComputedBefore(Value value, Operation *op) {
  Operation *producer = value.getDefiningOp();
  return !producer || producer->getBlock() != op->getBlock() ||
         producer->isBeforeInBlock(op);
}

/// Makes the loop or branch that computes `term`, of which `isFromZeros` holds,
/// add to `sum` instead.
static void addInside(Location loc, Value sum, Value term) {
  unsigned result = cast<OpResult>(term).getResultNumber();
  Operation *op = term.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    loop.getInitArgsMutable()[result].set(sum);
    return;
  }
  for (Region &region : op->getRegions()) {
    Operation *yield = region.front().getTerminator();
    OpBuilder b(yield);
    Value yielded = yield->getOperand(result);
    yield->setOperand(result, addCotangents(b, loc, sum, yielded, true));
  }
}

Value addCotangents(OpBuilder &b, Location loc, Value sum, Value term,
                    bool isOwn) {
  if (nn::isZeros(term))
    return sum;
  if (nn::isZeros(sum))
    return term;
  if (SmallVector<Operation *> chain = getChain(term); !chain.empty())
    return emitChain(b, chain, sum);
  Operation *op = term.getDefiningOp();
  if (isOwn && isa_and_present<scf::ForOp, scf::IfOp>(op) &&
      isComputedBefore(sum, op) && isFromZeros(term)) {
    addInside(loc, sum, term);
    return term;
  }
  if (SmallVector<Operation *> chain = getChain(sum); !chain.empty())
    return emitChain(b, chain, term);
  return arith::AddFOp::create(b, loc, sum, term);
}

} // namespace flywheel
