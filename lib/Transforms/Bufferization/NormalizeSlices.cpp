//===- NormalizeSlices.cpp - The flywheel-normalize-slices pass -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Transforms/Bufferization/BufferizationPasses.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace flywheel {
#define GEN_PASS_DEF_NORMALIZESLICES
#include "flywheel/Transforms/Bufferization/BufferizationPasses.h.inc"
} // namespace flywheel

/// Sets the strides of one position to 1: nothing depends on them.
template <typename SliceOp> static void setUnitStrides(SliceOp slice) {
  SmallVector<OpFoldResult> strides = slice.getMixedStrides();
  bool isChanged = false;
  Builder b(slice.getContext());
  for (auto [size, stride] : llvm::zip(slice.getMixedSizes(), strides)) {
    if (!isOneInteger(size) || isOneInteger(stride))
      continue;
    stride = b.getIndexAttr(1);
    isChanged = true;
  }
  if (!isChanged)
    return;
  SmallVector<int64_t> staticStrides;
  SmallVector<Value> dynamicStrides;
  dispatchIndexOpFoldResults(strides, dynamicStrides, staticStrides);
  slice.getStridesMutable().assign(dynamicStrides);
  slice.setStaticStrides(staticStrides);
}

namespace {
struct NormalizeSlices : flywheel::impl::NormalizeSlicesBase<NormalizeSlices> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
        setUnitStrides(extract);
      else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
        setUnitStrides(insert);
    });
  }
};
} // namespace
