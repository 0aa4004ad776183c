// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect, the rules of its op, and the entry point of the plugin.

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Dialect/NN/ElementwiseExpr.h"
#include "flywheel/Driver/PluginVersion.h"
#include "flywheel/Interfaces/DifferentiableOpInterface.h"
#include "flywheel/Interfaces/LowerableOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

#include "ToyDialect.h.inc"
#define GET_OP_CLASSES
#include "ToyOps.h.inc"

#include "ToyDialect.cpp.inc"
#define GET_OP_CLASSES
#include "ToyOps.cpp.inc"

using namespace mlir;
using namespace flywheel;

void toy::ToyDialect::initialize() { addOperations<SoftsignOp>(); }

/// The derivative is 1 / (1 + |x|)^2.
LogicalResult toy::SoftsignOp::emitVjp(OpBuilder &b,
                                       ArrayRef<Value> resultCotangents,
                                       ArrayRef<bool> needed,
                                       MutableArrayRef<Value> inputCotangents) {
  ElementwiseExpr x(b, getLoc(), getX());
  ElementwiseExpr below = 1.0 + x.apply<math::AbsFOp>();
  inputCotangents[0] = x.with(resultCotangents[0]) / (below * below);
  return success();
}

LogicalResult toy::SoftsignOp::lowerToLinalg(LinalgEmitter &e) {
  auto type = cast<RankedTensorType>(getX().getType());
  AffineMap map = e.identity(type.getRank());
  e.replaceWith(e.map(e.getDimSizes(getX()), type.getElementType(), getX(),
                      {map}, [](OpBuilder &b, Location loc, ValueRange points) {
                        ElementwiseExpr x(b, loc, points[0]);
                        return (x / (1.0 + x.apply<math::AbsFOp>())).getValue();
                      }));
  return success();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "Toy", FLYWHEEL_PLUGIN_VERSION,
      [](DialectRegistry *registry) { registry->insert<toy::ToyDialect>(); }};
}
