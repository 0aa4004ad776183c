//===- ShareSizes.cpp - One loop for arrays of many sizes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model of hundreds of small variables has as many updates. With a loop for
// each, instructions take as much memory as the variables do, are read once per
// step, and dominate the run time, and the compile time too.
//
//===----------------------------------------------------------------------===//

#include "ShareSizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace flywheel {

/// Loops of fewer than this many sizes are not shared.
static constexpr size_t kMinSizes = 8;

/// Returns true if the elements of `op` may be numbered in any order: each is
/// computed from the operands' elements at the same index.
static bool isFlat(linalg::GenericOp op) {
  if (op->getNumResults() != 0 || op.getNumLoops() == 0 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op->getDiscardableAttrDictionary().empty() ||
      (op.getNumLoops() > 1 && op.hasIndexSemantics()))
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (map.getNumResults() == 0)
      return true;
    return map.isIdentity() && type && type.hasStaticShape() &&
           type.getNumElements() > 0 && type.getLayout().isIdentity();
  });
}

/// Returns true if `a` and `b` compute the same function of each element.
static bool haveEqualBodies(linalg::GenericOp a, linalg::GenericOp b) {
  if (a->getNumOperands() != b->getNumOperands() ||
      a.getNumDpsInputs() != b.getNumDpsInputs())
    return false;
  for (auto [x, y] : llvm::zip_equal(a->getOpOperands(), b->getOpOperands()))
    if (a.getMatchingIndexingMap(&x).getNumResults() == 0
            ? b.getMatchingIndexingMap(&y).getNumResults() != 0 ||
                  x.get().getType() != y.get().getType()
            : b.getMatchingIndexingMap(&y).getNumResults() == 0 ||
                  getElementTypeOrSelf(x.get().getType()) !=
                      getElementTypeOrSelf(y.get().getType()))
      return false;
  // Values from outside, other than constants, become arguments.
  llvm::DenseMap<Value, Value> equal;
  auto check = [&](Value x, Value y) {
    if (x == y)
      return success();
    bool isOutside = !a.getRegion().isAncestor(x.getParentRegion()) &&
                     !b.getRegion().isAncestor(y.getParentRegion());
    if (isOutside &&
        (x.getType() != y.getType() || matchPattern(x, m_Constant()) ||
         matchPattern(y, m_Constant())))
      return failure();
    return success(isOutside ? equal.try_emplace(x, y).first->second == y
                             : equal.lookup(x) == y);
  };
  auto mark = [&](Value x, Value y) { equal[x] = y; };
  return OperationEquivalence::isRegionEquivalentTo(
      &a.getRegion(), &b.getRegion(), check, mark,
      OperationEquivalence::IgnoreLocations);
}

/// Returns `buffer` with one dimension of dynamic size.
static Value flatten(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() > 1) {
    auto all = llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
    buffer = memref::CollapseShapeOp::create(
        b, loc, buffer, ArrayRef<ReassociationIndices>(all));
  }
  auto flat =
      MemRefType::get({ShapedType::kDynamic}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  return memref::CastOp::create(b, loc, flat, buffer);
}

/// Replaces `op` by one with a loop of dynamic size, and returns that.
static linalg::GenericOp withDynamicSize(linalg::GenericOp op) {
  OpBuilder b(op);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isNumber = op.getMatchingIndexingMap(&operand).getNumResults() == 0;
    operands.push_back(isNumber ? operand.get()
                                : flatten(b, op.getLoc(), operand.get()));
    maps.push_back(isNumber ? AffineMap::get(1, 0, b.getContext())
                            : b.getMultiDimIdentityMap(1));
  }
  ArrayRef<Value> all(operands);
  auto result = linalg::GenericOp::create(b, op.getLoc(),
                                          all.take_front(op.getNumDpsInputs()),
                                          all.drop_front(op.getNumDpsInputs()),
                                          maps, utils::IteratorType::parallel);
  result.getRegion().takeBody(op.getRegion());
  op.erase();
  return result;
}

SmallVector<Operation *> shareSizes(func::FuncOp function) {
  SmallVector<SmallVector<linalg::GenericOp>> groups;
  function.walk([&](linalg::GenericOp op) {
    if (!isFlat(op))
      return;
    auto *group = llvm::find_if(groups, [&](auto &others) {
      return haveEqualBodies(op, others.front());
    });
    if (group == groups.end())
      groups.push_back({op});
    else
      group->push_back(op);
  });
  SmallVector<Operation *> results;
  for (ArrayRef<linalg::GenericOp> group : groups) {
    llvm::SetVector<int64_t> sizes;
    for (linalg::GenericOp op : group) {
      SmallVector<int64_t> ranges = op.getStaticLoopRanges();
      sizes.insert(ShapedType::getNumElements(ranges));
    }
    if (sizes.size() < kMinSizes)
      continue;
    for (linalg::GenericOp op : group)
      results.push_back(withDynamicSize(op));
  }
  return results;
}

} // namespace flywheel
