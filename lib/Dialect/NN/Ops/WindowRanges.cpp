//===- WindowRanges.cpp - Windows by what they have of an image -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowRanges.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace flywheel {

SmallVector<WindowRange> splitWindows(int64_t numWindows,
                                      const nn::WindowDim &dim, int64_t before,
                                      int64_t dimSize) {
  SmallVector<WindowRange> ranges;
  for (int64_t window = 0; window < numWindows;) {
    // The position of the first element, and the number of positions from it
    // on.
    int64_t start = window * dim.stride - before, rest = dimSize - start;
    if (rest <= 0)
      return {};
    int64_t first = start < 0 ? llvm::divideCeil(-start, dim.dilation) : 0;
    int64_t end =
        std::min<int64_t>(dim.size, llvm::divideCeil(rest, dim.dilation));
    if (first >= end)
      return {};
    int64_t count = 1;
    // Whole windows all at once.
    if (first == 0 && end == dim.size)
      count = std::min(numWindows - window,
                       (rest - dim.getSpan()) / dim.stride + 1);
    if (!ranges.empty() && ranges.back().first == first &&
        ranges.back().size == end - first)
      ranges.back().count += count;
    else
      ranges.push_back(
          {window, count, first, end - first, start + first * dim.dilation});
    if (ranges.size() > kMaxWindowRanges)
      return {};
    window += count;
  }
  return ranges;
}

SpatialSlice::SpatialSlice(LinalgEmitter &e, Value whole, unsigned dim,
                           std::array<int64_t, 2> begins,
                           std::array<int64_t, 2> counts)
    : e(e) {
  for (DimSize dimSize : e.getDimSizes(whole))
    sizes.push_back(e.materialize(dimSize));
  offsets.assign(sizes.size(), e.b.getIndexAttr(0));
  strides.assign(sizes.size(), e.b.getIndexAttr(1));
  for (unsigned i : {0, 1}) {
    offsets[dim + i] = e.b.getIndexAttr(begins[i]);
    sizes[dim + i] = e.b.getIndexAttr(counts[i]);
  }
}

Value SpatialSlice::extract(Value whole) const {
  return tensor::ExtractSliceOp::create(e.b, e.loc, whole, offsets, sizes,
                                        strides);
}

Value SpatialSlice::insert(Value part, Value whole) const {
  return tensor::InsertSliceOp::create(e.b, e.loc, part, whole, offsets, sizes,
                                       strides);
}

} // namespace flywheel
