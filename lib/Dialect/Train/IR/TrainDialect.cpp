//===- TrainDialect.cpp - The train dialect -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace flywheel::train;

#include "flywheel/Dialect/Train/TrainAttrInterfaces.cpp.inc"
#include "flywheel/Dialect/Train/TrainDialect.cpp.inc"
#include "flywheel/Dialect/Train/TrainEnums.cpp.inc"
#include "flywheel/Dialect/Train/TrainOpInterfaces.cpp.inc"

// Numbers in attributes are written as users write them: `0.1`, `1e-7` or `1`.
namespace mlir {
template <>
struct FieldParser<Real> {
  static FailureOr<Real> parse(AsmParser &parser) {
    Attribute value;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseAttribute(value))
      return failure();
    if (auto number = dyn_cast<FloatAttr>(value))
      return Real(number.getValueAsDouble());
    if (auto number = dyn_cast<IntegerAttr>(value))
      return Real(static_cast<double>(number.getInt()));
    parser.emitError(loc) << "expected a number, found " << value;
    return failure();
  }
};
template <>
struct FieldParser<std::optional<Real>> {
  static FailureOr<std::optional<Real>> parse(AsmParser &parser) {
    FailureOr<Real> value = FieldParser<Real>::parse(parser);
    if (failed(value))
      return failure();
    return std::optional<Real>(*value);
  }
};
} // namespace mlir

#define GET_ATTRDEF_CLASSES
#include "flywheel/Dialect/Train/TrainAttributes.cpp.inc"

namespace {
/// Variables are symbols of the module: an access means the same anywhere.
struct TrainInlinerInterface : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool,
                       mlir::IRMapping &) const final {
    return true;
  }
};
} // namespace

void TrainDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "flywheel/Dialect/Train/TrainAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "flywheel/Dialect/Train/TrainOps.cpp.inc"
      >();
  addInterfaces<TrainInlinerInterface>();
}
