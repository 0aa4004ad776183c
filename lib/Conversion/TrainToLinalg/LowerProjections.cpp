//===- LowerProjections.cpp - Constraints to linalg -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerProjections.h"

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace flywheel;

train::ProjectOp flywheel::getElementProjection(Operation *update) {
  Value parameter = update->getResult(0);
  if (!parameter.hasOneUse())
    return {};
  auto projection = dyn_cast<train::ProjectOp>(*parameter.getUsers().begin());
  if (!projection || projection.getConstraint().getNormAxis())
    return {};
  return projection;
}

Value flywheel::projectElement(OpBuilder &b, Location loc,
                               train::ConstraintAttrInterface constraint,
                               Value element) {
  Type type = element.getType();
  bool isNarrow = type.getIntOrFloatBitWidth() < 32;
  Value wide = widen(b, loc, element, isNarrow ? Type(b.getF32Type()) : type);
  return narrow(b, loc, constraint.buildProjection(b, loc, wide), type);
}

/// Emits the factors of the elements: one for each norm along `axis`.
static Value emitFactors(LinalgEmitter &e, train::ProjectOp op, int64_t axis,
                         ArrayRef<int64_t> kept) {
  Value input = op.getInput();
  int64_t rank = kept.size() + 1;
  Type compute = e.getComputeType(getElementTypeOrSelf(input.getType()));
  SmallVector<DimSize> dimSizes = e.getDimSizes(input);
  dimSizes.erase(dimSizes.begin() + axis);
  Value squares =
      e.generic(input, e.fill(dimSizes, e.scalar(compute, 0.0)),
                {e.identity(rank), e.select(rank, kept)},
                [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                  Value element = widen(b, loc, args[0], compute);
                  Value square =
                      arith::MulFOp::create(b, loc, element, element);
                  return arith::AddFOp::create(b, loc, args[1], square);
                });
  return e.map(dimSizes, compute, squares, {e.identity(kept.size())},
               [&](OpBuilder &b, Location loc, ValueRange args) {
                 Value norm = math::SqrtOp::create(b, loc, args[0]);
                 return op.getConstraint().buildProjection(b, loc, norm);
               });
}

void flywheel::lowerProjection(RewriterBase &rewriter, train::ProjectOp op) {
  LinalgEmitter e(rewriter, op);
  Value input = op.getInput();
  auto type = cast<RankedTensorType>(input.getType());
  int64_t rank = type.getRank();
  std::optional<int64_t> axis = op.getConstraint().getNormAxis();
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (axis) {
    SmallVector<int64_t> kept = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    kept.erase(kept.begin() + *axis);
    inputs.push_back(emitFactors(e, op, *axis, kept));
    maps.push_back(e.select(rank, kept));
  }
  maps.push_back(e.identity(rank));
  rewriter.replaceOp(
      op, e.generic(inputs, input, maps,
                    [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                      if (!axis)
                        return projectElement(b, loc, op.getConstraint(),
                                              args[0]);
                      Value element = widen(b, loc, args[1], args[0].getType());
                      Value scaled =
                          arith::MulFOp::create(b, loc, element, args[0]);
                      return narrow(b, loc, scaled, type.getElementType());
                    }));
}
