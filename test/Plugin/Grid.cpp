// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect, the rules of its op, and the entry point of the plugin.

#include "flywheel/Dialect/LinalgExt/LinalgEmitter.h"
#include "flywheel/Driver/PluginVersion.h"
#include "flywheel/Interfaces/LowerableOpInterface.h"
#include "flywheel/Interfaces/SizeOpInterfaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

#include "GridDialect.h.inc"
#define GET_OP_CLASSES
#include "GridOps.h.inc"

#include "GridDialect.cpp.inc"
#define GET_OP_CLASSES
#include "GridOps.cpp.inc"

using namespace mlir;
using namespace flywheel;

void grid::GridDialect::initialize() { addOperations<AddOp>(); }

DimSizeSource grid::AddOp::getDimSizeSource(int64_t dim) {
  return {dim == 0 ? getX() : getY(), 0};
}

LogicalResult grid::AddOp::lowerToLinalg(LinalgEmitter &e) {
  AffineMap rows = AffineMap::get(2, 0, e.b.getAffineDimExpr(0)),
            columns = AffineMap::get(2, 0, e.b.getAffineDimExpr(1));
  e.replaceWith(e.map(
      {e.getDimSize(getX(), 0), e.getDimSize(getY(), 0)}, e.b.getF32Type(),
      {getX(), getY()}, {rows, columns},
      [](OpBuilder &b, Location loc, ValueRange points) {
        return arith::AddFOp::create(b, loc, points[0], points[1]).getResult();
      }));
  return success();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, "Grid", FLYWHEEL_PLUGIN_VERSION,
      [](DialectRegistry *registry) { registry->insert<grid::GridDialect>(); }};
}
