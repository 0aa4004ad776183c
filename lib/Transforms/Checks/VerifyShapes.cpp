//===- VerifyShapes.cpp - Shapes that the compiler can compute with -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Support/CheckedSize.h"
#include "flywheel/Transforms/Checks/ChecksPasses.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_VERIFYSHAPES
#include "flywheel/Transforms/Checks/ChecksPasses.h.inc"
} // namespace flywheel

using namespace flywheel;

/// Verifies the list of output sizes: the parser accepts any list, and folding
/// trusts it instead of the type.
static LogicalResult verifyOutputShape(tensor::ExpandShapeOp op) {
  for (auto [dim, listed, size] : llvm::enumerate(
           op.getStaticOutputShape(), op.getResultType().getShape()))
    if (!ShapedType::isDynamic(listed) && listed != size)
      return op.emitOpError() << "expected output_shape to be that of the "
                                 "result, "
                              << op.getResultType() << ", found " << listed
                              << " for dimension " << dim;
  return success();
}

namespace {
struct VerifyShapes : flywheel::impl::VerifyShapesBase<VerifyShapes> {
  void runOnOperation() override {
    bool isValid = true;
    // All of them are reported.
    getOperation().walk([&](Operation *op) {
      if (failed(verifySizes(op)))
        isValid = false;
      else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
        isValid &= succeeded(verifyOutputShape(expand));
    });
    if (!isValid)
      signalPassFailure();
  }

private:
  LogicalResult verifySizes(Operation *op) {
    for (OpResult result : op->getResults())
      if (!fits(result.getType()))
        return op->emitOpError()
               << "has a result that is too large: expected at most "
               << kMaxSizeText << " bytes, found " << result.getType();
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (!fits(argument.getType()))
          return op->emitOpError()
                 << "has an argument #" << argument.getArgNumber()
                 << " that is too large: expected at most " << kMaxSizeText
                 << " bytes, found " << argument.getType();
    return success();
  }

  bool fits(Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasRank())
      return true;
    auto [known, isNew] = fitting.try_emplace(type, false);
    if (isNew)
      known->second = fitsMaxSize(shaped);
    return known->second;
  }

  llvm::DenseMap<Type, bool> fitting;
};
} // namespace
