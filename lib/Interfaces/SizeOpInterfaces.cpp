//===- SizeOpInterfaces.cpp - Sizes of results and operands ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Interfaces/SizeOpInterfaces.h"

using namespace mlir;

#include "flywheel/Interfaces/SizeOpInterfaces.cpp.inc"

flywheel::DimSizeSource flywheel::findDimSizeSource(OpResult value,
                                                    int64_t dim) {
  Operation *op = value.getOwner();
  // An elementwise op, or one that acts on rows.
  if (op->hasTrait<OpTrait::SameOperandsAndResultType>())
    return {op->getOperand(0), dim};
  if (auto source = dyn_cast<DimSizeSourceOpInterface>(op);
      source && value.getResultNumber() == 0)
    return source.getDimSizeSource(dim);
  return {};
}

flywheel::DimSizeFormula flywheel::findDimSizeFormula(OpResult value,
                                                      int64_t dim) {
  if (auto source = dyn_cast<DimSizeSourceOpInterface>(value.getOwner());
      source && value.getResultNumber() == 0)
    return source.getDimSizeFormula(dim);
  DimSizeSource source = findDimSizeSource(value, dim);
  return {source.value, source.dim, AffineExpr()};
}

std::string flywheel::describeEqualSizes(int64_t i, StringRef nameA, int64_t j,
                                         StringRef nameB) {
  return ("sizes of dimension " + Twine(i) + " of " + nameA +
          " and dimension " + Twine(j) + " of " + nameB)
      .str();
}

namespace {
/// Reports the first relation that static sizes contradict.
class StaticSizes final : public flywheel::SizeRelationSink {
public:
  explicit StaticSizes(Operation *op) : op(op) {}

  void equalDims(Value a, int64_t i, Value b, int64_t j, StringRef nameA,
                 StringRef nameB) override {
    expectEqual(getSize(a, i), getSize(b, j),
                flywheel::describeEqualSizes(i, nameA, j, nameB));
  }
  void equalShapes(Value a, Value b, StringRef nameA,
                   StringRef nameB) override {
    int64_t rank = getRank(a), other = getRank(b);
    if (succeeded(result) && rank != other)
      result = op->emitOpError()
               << "expected equal ranks of " << nameA << " and " << nameB
               << ", found " << rank << " and " << other;
    for (int64_t dim = 0; succeeded(result) && dim < rank; ++dim)
      expectEqual(getSize(a, dim), getSize(b, dim),
                  "sizes of dimension " + Twine(dim) + " of " + nameA +
                      " and " + nameB);
  }
  void equalFormula(flywheel::DimSizeFormula formula, Value a, int64_t i,
                    const Twine &what) override {
    int64_t size = getSize(formula.value, formula.dim);
    if (formula.expr && !ShapedType::isDynamic(size)) {
      AffineExpr known = getAffineConstantExpr(size, op->getContext());
      size = cast<AffineConstantExpr>(
                 formula.expr.replaceDimsAndSymbols({}, known))
                 .getValue();
    }
    expectEqual(size, getSize(a, i), what);
  }
  void atLeast(Value a, int64_t i, int64_t number, const Twine &what,
               StringRef found) override {
    int64_t size = getSize(a, i);
    if (failed(result) || ShapedType::isDynamic(size) || size >= number)
      return;
    auto [before, after] = found.split('\1');
    result = op->emitOpError()
             << "expected " << what << ", found " << before << size << after;
  }

  LogicalResult result = success();

private:
  static int64_t getRank(Value value) {
    return cast<ShapedType>(value.getType()).getRank();
  }
  static int64_t getSize(Value value, int64_t dim) {
    return cast<ShapedType>(value.getType()).getDimSize(dim);
  }
  void expectEqual(int64_t a, int64_t b, const Twine &what) {
    if (failed(result) || a == b || ShapedType::isDynamic(a) ||
        ShapedType::isDynamic(b))
      return;
    result = op->emitOpError()
             << "expected equal " << what << ", found " << a << " and " << b;
  }

  Operation *op;
};
} // namespace

LogicalResult flywheel::verifySizeRelations(Operation *op) {
  StaticSizes sizes(op);
  cast<SizeRelationsOpInterface>(op).relateSizes(sizes);
  return sizes.result;
}
