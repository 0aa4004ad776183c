//===- CheckedValues.cpp - What the checks of a step are about ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckedValues.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Interfaces/ForwardedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace {
/// The comparisons that a condition is made of.
class Comparisons {
public:
  explicit Comparisons(Value condition) { visit(condition); }

  bool hasData = false, hasSizes = false;

private:
  /// Adds the comparisons of a value of type i1. The conditions of branches do
  /// not count: they say whether a comparison is made.
  void visit(Value value);
  /// Returns true if a number is computed from elements of a buffer.
  bool readsElements(Value value);

  llvm::DenseSet<Value> visited, numbers;
};
} // namespace

void Comparisons::visit(Value value) {
  if (!visited.insert(value).second || matchPattern(value, m_Constant()))
    return;
  SmallVector<Value> parts = flywheel::getForwardedValues(value);
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    parts = op->getOperands();
  else if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    parts = {select.getTrueValue(), select.getFalseValue()};
  else if (auto named =
               dyn_cast_or_null<flywheel::linalg_ext::NameNumbersOp>(op))
    parts = {named.getCondition()};
  for (Value part : parts)
    visit(part);
  if (parts.empty())
    (readsElements(value) ? hasData : hasSizes) = true;
}

bool Comparisons::readsElements(Value value) {
  if (!numbers.insert(value).second)
    return false;
  SmallVector<Value> parts = flywheel::getForwardedValues(value);
  Operation *op = value.getDefiningOp();
  if (!op || isa<memref::DimOp>(op))
    return llvm::any_of(parts, [&](Value part) { return readsElements(part); });
  if (parts.empty()) {
    if (!isMemoryEffectFree(op))
      return true;
    parts = op->getOperands();
  }
  return llvm::any_of(parts, [&](Value part) { return readsElements(part); });
}

bool flywheel::isOfData(Value condition) {
  Comparisons comparisons(condition);
  return comparisons.hasData && !comparisons.hasSizes;
}
