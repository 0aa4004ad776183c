//===- Checks.cpp - Checks when a step runs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/Checks.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Interfaces/ForwardedValues.h"
#include "flywheel/Support/OpNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace flywheel;
using namespace flywheel::linalg_ext;

/// Returns the value whose shape a block argument or result of control flow
/// has: the init of the argument, or the value that the first region yields.
/// Null for other values.
static Value getControlFlowSource(Value value) {
  SmallVector<Value> forwarded = getForwardedValues(value);
  return forwarded.empty() ? Value() : forwarded.front();
}

/// Returns the operand that is the size of dimension `dim` of the result of an
/// op; null if there is none.
static OpFoldResult getSizeOperand(Operation *op, int64_t dim) {
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return empty.getMixedSizes()[dim];
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return expand.getMixedOutputShape()[dim];
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(i) && dim-- == 0)
        return size;
  }
  return {};
}

std::optional<int64_t> flywheel::linalg_ext::getDimension(tensor::DimOp op) {
  std::optional<int64_t> index = op.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!index || !type || *index < 0 || *index >= type.getRank())
    return std::nullopt;
  return index;
}

DimSizeRoot flywheel::linalg_ext::getDimSizeRoot(Value tensor, int64_t dim) {
  // Steps are bounded: graph regions may hold cycles.
  for (int step = 0; step < 1024; ++step) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      return {Value(), type.getDimSize(dim)};
    Operation *op = tensor.getDefiningOp();
    Value source = getControlFlowSource(tensor);
    if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
      source = cast.getSource();
    else if (auto styled = dyn_cast_or_null<DestinationStyleOpInterface>(op))
      source = styled.getTiedOpOperand(llvm::cast<OpResult>(tensor))->get();
    if (source && isa<RankedTensorType>(source.getType())) {
      tensor = source;
      continue;
    }
    OpFoldResult size = op ? getSizeOperand(op, dim) : OpFoldResult();
    if (!size)
      break;
    if (std::optional<int64_t> number = getConstantIntValue(size))
      return {Value(), *number};
    auto read = cast<Value>(size).getDefiningOp<tensor::DimOp>();
    std::optional<int64_t> index = read ? getDimension(read) : std::nullopt;
    if (!index)
      break;
    tensor = read.getSource();
    dim = *index;
  }
  return {tensor, dim};
}

namespace {
/// Recomputes numbers before an op that are computed inside of it.
class Hoister {
public:
  Hoister(OpBuilder &b, Operation *parent) : b(b), parent(parent) {}

  /// Returns a copy of `value` that is computed before the op; null if it
  /// cannot be computed there. The ops that this creates have no effect, even
  /// if they are not used.
  Value hoist(Value value);
  /// Hoists dimension `dim` of `tensor` likewise.
  Value hoistDimSize(Location loc, Value tensor, int64_t dim);

private:
  /// Returns true if `value` is defined outside of the op. A value in another
  /// branch or loop before the op counts as inside.
  bool isOutside(Value value) {
    return value.getParentRegion()->isAncestor(parent->getParentRegion());
  }

  OpBuilder &b;
  Operation *parent;
  IRMapping mapping;
};
} // namespace

Value Hoister::hoistDimSize(Location loc, Value tensor, int64_t dim) {
  DimSizeRoot root = getDimSizeRoot(tensor, dim);
  if (!root.tensor)
    return arith::ConstantIndexOp::create(b, loc, root.number);
  if (isOutside(root.tensor))
    return tensor::DimOp::create(b, loc, root.tensor, root.number);
  auto reifiable =
      root.tensor.getDefiningOp<ReifyRankedShapedTypeOpInterface>();
  if (!reifiable)
    return {};
  ReifiedRankedShapedTypeDims shapes;
  OpFoldResult size;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(reifiable);
    if (failed(reifyResultShapes(b, reifiable, shapes)))
      return {};
    size = shapes[cast<OpResult>(root.tensor).getResultNumber()][root.number];
  }
  if (auto number = getConstantIntValue(size))
    return arith::ConstantIndexOp::create(b, loc, *number);
  // A read of the dimension size of the op itself cannot be hoisted.
  auto read = cast<Value>(size).getDefiningOp<tensor::DimOp>();
  return read && read.getSource() == root.tensor ? Value()
                                                 : hoist(cast<Value>(size));
}

Value Hoister::hoist(Value value) {
  if (isOutside(value))
    return value;
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  // Numbers alone: nothing large is computed twice.
  if (!op || op->getNumRegions() != 0 || !isPure(op) ||
      !value.getType().isIntOrIndex())
    return {};
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = getDimension(dim);
    if (!index)
      return {};
    Value dimSize = hoistDimSize(dim.getLoc(), dim.getSource(), *index);
    if (dimSize)
      mapping.map(value, dimSize);
    return dimSize;
  }
  for (Value operand : op->getOperands()) {
    Value outside = hoist(operand);
    if (!outside)
      return {};
    mapping.map(operand, outside);
  }
  b.clone(*op, mapping);
  return mapping.lookup(value);
}

Value flywheel::linalg_ext::emitFirstCondition(OpBuilder &b,
                                               scf::WhileOp loop) {
  Block &before = loop.getBefore().front();
  // The loop itself makes its checks.
  auto isCopied = [](Operation &op) { return !isa<CheckOp>(op); };
  for (Operation &op : before.without_terminator())
    if (isCopied(op) && !isMemoryEffectFree(&op))
      return {};
  IRMapping values;
  values.map(before.getArguments(), loop.getInits());
  for (Operation &op : before.without_terminator())
    if (isCopied(op))
      b.clone(op, values);
  return values.lookupOrDefault(loop.getConditionOp().getCondition());
}

/// Emits, before `parent`, the condition under which it does not enter the
/// region `inner`: false if it always enters it, null if that is unknown.
static Value isLeftOut(OpBuilder &b, Location loc, Operation *parent,
                       Region *inner) {
  auto invert = [&](Value condition) -> Value {
    Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    return arith::XOrIOp::create(b, loc, condition, yes);
  };
  if (auto branch = dyn_cast<scf::IfOp>(parent)) {
    Value condition = branch.getCondition();
    return inner == &branch.getElseRegion() ? condition : invert(condition);
  }
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return arith::CmpIOp::create(b, loc,
                                 loop.getUnsignedCmp()
                                     ? arith::CmpIPredicate::uge
                                     : arith::CmpIPredicate::sge,
                                 loop.getLowerBound(), loop.getUpperBound());
  auto loop = cast<scf::WhileOp>(parent);
  if (inner == &loop.getBefore())
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  Value condition = emitFirstCondition(b, loop);
  return condition ? invert(condition) : Value();
}

std::string NamedNumbers::add(OpFoldResult number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return std::to_string(*constant);
  auto *known = llvm::find(values, cast<Value>(number));
  if (known == values.end()) {
    if (values.size() == kMaxNamedNumbers)
      return "?";
    values.push_back(cast<Value>(number));
    known = std::prev(values.end());
  }
  return std::string(1, static_cast<char>(1 + (known - values.begin())));
}

static CheckOp buildCheck(OpBuilder &b, Operation *op, CheckKind kind, Value ok,
                          const Twine &expected, const Twine &found,
                          ValueRange numbers) {
  std::string behind = found.str();
  return CheckOp::create(b, op->getLoc(), kind, ok, b.getStringAttr(expected),
                         b.getStringAttr(getSourceOpName(op)),
                         behind.empty() ? StringAttr()
                                        : b.getStringAttr(behind),
                         numbers, /*safe=*/false);
}

CheckOp flywheel::linalg_ext::createCheck(OpBuilder &b, Operation *op,
                                          CheckKind kind, Value ok,
                                          const Twine &expected,
                                          const Twine &found,
                                          const NamedNumbers &numbers) {
  return buildCheck(b, op, kind, ok, expected, found, numbers.getValues());
}

CheckOp flywheel::linalg_ext::createDimSizeCheck(OpBuilder &b, Operation *op,
                                                 Value ok,
                                                 const Twine &expected,
                                                 const Twine &found,
                                                 const NamedNumbers &numbers) {
  SmallVector<Value> named(numbers.getValues());
  OpBuilder::InsertionGuard guard(b);
  Region *inner = b.getInsertionBlock()->getParent();
  while (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(inner->getParentOp())) {
    Operation *parent = inner->getParentOp();
    OpBuilder outside(parent);
    outside.setListener(b.getListener());
    Hoister hoister(outside, parent);
    Value hoisted = hoister.hoist(ok);
    auto numbersOutside = llvm::map_to_vector(
        named, [&](Value number) { return hoister.hoist(number); });
    if (!hoisted || llvm::is_contained(numbersOutside, Value()))
      break;
    Value isUnused = isLeftOut(outside, op->getLoc(), parent, inner);
    if (!isUnused)
      break;
    ok = arith::OrIOp::create(outside, op->getLoc(), isUnused, hoisted);
    named = std::move(numbersOutside);
    b.setInsertionPoint(parent);
    inner = parent->getParentRegion();
  }
  return buildCheck(b, op, CheckKind::sizes, ok, expected, found, named);
}

std::string CheckOp::describeSource() {
  if (!getSource())
    return "";
  std::string place = formatPlace(getLoc(), *this);
  return "in '" + getSource()->str() + "'" +
         (place.empty() ? "" : " at " + place);
}

std::string CheckOp::getMessage() {
  std::string source = describeSource();
  return getExpected().str() + (source.empty() ? "" : " " + source) +
         getFound().value_or("").str();
}

Value flywheel::linalg_ext::getDimSizeInFrontOf(OpBuilder &b, Operation *op,
                                                Value tensor, int64_t dim) {
  return Hoister(b, op).hoistDimSize(op->getLoc(), tensor, dim);
}

void flywheel::linalg_ext::convertAsserts(Operation *root) {
  root->walk([](cf::AssertOp op) {
    std::string text = op.getMsg().str();
    // Its own numbers do not stand for others.
    for (char &c : text)
      if (c >= 1 && static_cast<size_t>(c) <= kMaxNamedNumbers)
        c = '?';
    OpBuilder b(op);
    CheckOp::create(b, op.getLoc(), CheckKind::data, op.getArg(),
                    b.getStringAttr(text));
    op.erase();
  });
}

void flywheel::linalg_ext::lowerChecks(Operation *root) {
  root->walk([](CheckOp op) {
    OpBuilder b(op);
    cf::AssertOp::create(b, op.getLoc(), op.getOk(), op.getMessage());
    op.erase();
  });
  root->walk([](CompareSizesOp op) {
    OpBuilder b(op);
    auto predicate = op.getPredicate() == SizePredicate::eq
                         ? arith::CmpIPredicate::eq
                         : arith::CmpIPredicate::sge;
    op.replaceAllUsesWith(arith::CmpIOp::create(b, op.getLoc(), predicate,
                                                op.getLhs(), op.getRhs())
                              .getResult());
    op.erase();
  });
}
