//===- Checks.cpp - Checks when a step runs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/LinalgExt/Checks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace {
/// Computes numbers in front of an op that are computed inside of it.
class Hoister {
public:
  Hoister(OpBuilder &b, Operation *parent) : b(b), parent(parent) {}

  /// `value` in front of the op; null where it cannot be told there. Whether
  /// the ops that this creates are used or not, they have no effect.
  Value hoist(Value value);

private:
  bool isOutside(Value value) {
    return !parent->isAncestor(value.getParentBlock()->getParentOp());
  }
  Value hoistExtent(tensor::DimOp dim);

  OpBuilder &b;
  Operation *parent;
  IRMapping mapping;
};
} // namespace

/// What the block argument `value` of a loop has the shape of, in front of it;
/// null where that is not carried from there.
static Value getCarriedFrom(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *owner = argument ? argument.getOwner()->getParentOp() : nullptr;
  if (auto loop = dyn_cast_or_null<scf::ForOp>(owner)) {
    OpOperand *init = loop.getTiedLoopInit(argument);
    return init ? init->get() : Value();
  }
  auto loop = dyn_cast_or_null<scf::WhileOp>(owner);
  if (!loop)
    return {};
  if (argument.getOwner() == loop.getBeforeBody())
    return loop.getInits()[argument.getArgNumber()];
  Value passed = loop.getConditionOp().getArgs()[argument.getArgNumber()];
  // From the first region, which ends with the condition.
  auto carried = dyn_cast<BlockArgument>(passed);
  return carried && carried.getOwner() == loop.getBeforeBody()
             ? loop.getInits()[carried.getArgNumber()]
             : Value();
}

Value Hoister::hoistExtent(tensor::DimOp dim) {
  Location loc = dim.getLoc();
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!index)
    return {};
  Value source = dim.getSource();
  if (Value outside = getCarriedFrom(source))
    source = outside;
  if (isOutside(source))
    return tensor::DimOp::create(b, loc, source, *index);
  auto reifiable = source.getDefiningOp<ReifyRankedShapedTypeOpInterface>();
  if (!reifiable)
    return {};
  ReifiedRankedShapedTypeDims shapes;
  OpFoldResult size;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(reifiable);
    if (failed(reifyResultShapes(b, reifiable, shapes)))
      return {};
    size = shapes[cast<OpResult>(source).getResultNumber()][*index];
  }
  if (auto number = getConstantIntValue(size))
    return arith::ConstantIndexOp::create(b, loc, *number);
  return hoist(cast<Value>(size));
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
    Value extent = hoistExtent(dim);
    if (extent)
      mapping.map(value, extent);
    return extent;
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

/// Whether the region that `inner` is in is not entered, in front of `parent`;
/// null where it always is.
static Value isLeftOut(OpBuilder &b, Location loc, Operation *parent,
                       Region *inner) {
  if (auto branch = dyn_cast<scf::IfOp>(parent)) {
    Value condition = branch.getCondition();
    if (inner == &branch.getElseRegion())
      return condition;
    Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    return arith::XOrIOp::create(b, loc, condition, yes);
  }
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return arith::CmpIOp::create(b, loc,
                                 loop.getUnsignedCmp()
                                     ? arith::CmpIPredicate::uge
                                     : arith::CmpIPredicate::sge,
                                 loop.getLowerBound(), loop.getUpperBound());
  return {};
}

cf::AssertOp flywheel::linalg_ext::createCheck(OpBuilder &b, Operation *op,
                                               Value ok, const Twine &message) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << message << " in '" << op->getName() << "'";
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    os << " at " << place.getFilename().getValue() << ":" << place.getLine()
       << ":" << place.getColumn();
  return cf::AssertOp::create(b, op->getLoc(), ok, text);
}

cf::AssertOp flywheel::linalg_ext::createExtentCheck(OpBuilder &b,
                                                     Operation *op, Value ok,
                                                     const Twine &message) {
  OpBuilder::InsertionGuard guard(b);
  Region *inner = op->getParentRegion();
  while (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(inner->getParentOp())) {
    Operation *parent = inner->getParentOp();
    OpBuilder outside(parent);
    outside.setListener(b.getListener());
    Value hoisted = Hoister(outside, parent).hoist(ok);
    if (!hoisted)
      break;
    ok = hoisted;
    if (Value isUnused = isLeftOut(outside, op->getLoc(), parent, inner))
      ok = arith::OrIOp::create(outside, op->getLoc(), isUnused, ok);
    b.setInsertionPoint(parent);
    inner = parent->getParentRegion();
  }
  return createCheck(b, op, ok, message);
}
