//===- WindowEmitter.cpp - Windows over images in linalg ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace flywheel;
using nn::PaddingKind;
using nn::WindowDim;

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

OpFoldResult WindowEmitter::apply(AffineExpr expr, ArrayRef<Fold> symbols) {
  return affine::makeComposedFoldedAffineApply(
      e.b, e.loc, AffineMap::get(0, symbols.size(), expr), symbols);
}

Extent WindowEmitter::toExtent(Fold fold) {
  if (std::optional<int64_t> number = getConstantIntValue(fold))
    return Extent::constant(*number);
  return {0, cast<Value>(fold), false};
}

WindowEmitter::WindowEmitter(LinalgEmitter &emitter, const nn::Window &window,
                             ArrayRef<Extent> image)
    : e(emitter), window(window), image(image) {
  AffineExpr extent = e.b.getAffineSymbolExpr(0);
  for (auto [i, dim] : llvm::enumerate(window)) {
    extents[i] = e.materialize(image[i + 1]);
    if (!image[i + 1].isStatic()) {
      Value least =
          arith::ConstantIndexOp::create(e.b, e.loc, dim.getLeastExtent());
      Value ok = arith::CmpIOp::create(
          e.b, e.loc, arith::CmpIPredicate::sge,
          getValueOrCreateConstantIndexOp(e.b, e.loc, extents[i]), least);
      e.expect(ok, Twine("expected an image whose ") +
                       (i == 0 ? "height" : "width") + " is at least " +
                       Twine(dim.getLeastExtent()) + ", that of one window");
    }
    counts[i] = apply(dim.getCount(extent), extents[i]);
    computePadding(i);
  }
}

void WindowEmitter::computePadding(unsigned i) {
  const WindowDim &dim = window[i];
  before[i] = e.b.getIndexAttr(dim.before);
  after[i] = e.b.getIndexAttr(dim.after);
  if (dim.padding != PaddingKind::same)
    return;
  AffineExpr symbol = e.b.getAffineSymbolExpr(0);
  AffineExpr zero = e.b.getAffineConstantExpr(0);
  AffineExpr sum = dim.getSamePadding(symbol);
  Fold total = apply(sum, extents[i]);
  if (dim.getSpan() < dim.stride)
    total = affine::makeComposedFoldedAffineMax(
        e.b, e.loc, AffineMap::get(0, 1, {sum, zero}, e.b.getContext()),
        extents[i]);
  before[i] = apply(symbol.floorDiv(2), total);
  after[i] = apply(symbol - symbol.floorDiv(2), total);
  // What no window reaches does no harm: the size of the padded image is then
  // simpler than how much padding it needs.
  if (!getConstantIntValue(total))
    after[i] = apply(-symbol + (dim.getSpan() - 1), before[i]);
}

void WindowEmitter::expectOutput(Value output) {
  e.expectEqual(image[0], e.getExtent(output, 0),
                "batches of image and output");
  for (unsigned i : {0, 1})
    e.expectEqual(getCount(i), e.getExtent(output, i + 1),
                  Twine("number of windows over the image and ") +
                      (i == 0 ? "height" : "width") + " of the output");
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

bool WindowEmitter::isUnpadded() const {
  return llvm::all_of(before, isZeroInteger) &&
         llvm::all_of(after, isZeroInteger);
}

Value WindowEmitter::padSpatial(Value tensor, ArrayRef<Fold> low,
                                ArrayRef<Fold> high, Value value) {
  if (llvm::all_of(low, isZeroInteger) && llvm::all_of(high, isZeroInteger))
    return tensor;
  SmallVector<Extent> extents = e.getExtents(tensor), padded = extents;
  AffineExpr extent, front, behind;
  bindSymbols(e.b.getContext(), extent, front, behind);
  for (unsigned i : {0, 1})
    padded[i + 1] =
        toExtent(apply(extent + front + behind,
                       {e.materialize(extents[i + 1]), low[i], high[i]}));
  Value result = e.empty(padded, value.getType());
  SmallVector<Fold> offsets(extents.size(), e.b.getIndexAttr(0)),
      strides(extents.size(), e.b.getIndexAttr(1)), sizes;
  for (Extent whole : padded)
    sizes.push_back(e.materialize(whole));
  // The border alone is filled: rows above and below, then what is left and
  // right of the image.
  auto fillBorder = [&](unsigned dim, Fold offset, Fold size) {
    if (isZeroInteger(size))
      return;
    offsets[dim] = offset;
    sizes[dim] = size;
    Value border = tensor::ExtractSliceOp::create(e.b, e.loc, result, offsets,
                                                  sizes, strides);
    border = linalg::FillOp::create(e.b, e.loc, value, border).getResult(0);
    result = tensor::InsertSliceOp::create(e.b, e.loc, border, result, offsets,
                                           sizes, strides);
  };
  for (unsigned i : {0, 1}) {
    Fold size = e.materialize(extents[i + 1]);
    fillBorder(i + 1, e.b.getIndexAttr(0), low[i]);
    fillBorder(i + 1, apply(extent + front, {size, low[i]}), high[i]);
    offsets[i + 1] = low[i];
    sizes[i + 1] = size;
  }
  return tensor::InsertSliceOp::create(e.b, e.loc, tensor, result, offsets,
                                       sizes, strides);
}

Value WindowEmitter::pad(Value tensor, Value value) {
  return padSpatial(tensor, before, after, value);
}

Value WindowEmitter::emitPosition(OpBuilder &b, unsigned i, Value output,
                                  Value element) {
  const WindowDim &dim = window[i];
  auto number = [&](int64_t n) -> Value {
    return arith::ConstantIndexOp::create(b, e.loc, n);
  };
  Value start = arith::MulIOp::create(b, e.loc, output, number(dim.stride));
  Value offset = arith::MulIOp::create(b, e.loc, element, number(dim.dilation));
  Value index = arith::AddIOp::create(b, e.loc, start, offset);
  return arith::SubIOp::create(
      b, e.loc, index, getValueOrCreateConstantIndexOp(b, e.loc, before[i]));
}

Value WindowEmitter::isInside(OpBuilder &b, unsigned i, Value output,
                              Value element) {
  // Unsigned, what is in front of the image is far behind it.
  return arith::CmpIOp::create(
      b, e.loc, arith::CmpIPredicate::ult, emitPosition(b, i, output, element),
      getValueOrCreateConstantIndexOp(b, e.loc, extents[i]));
}

Value WindowEmitter::countCovered(OpBuilder &b, unsigned i, Value output) {
  Value zero = arith::ConstantIndexOp::create(b, e.loc, 0);
  Value first = emitPosition(b, i, output, zero);
  Value span = arith::ConstantIndexOp::create(b, e.loc, window[i].getSpan());
  Value end = arith::AddIOp::create(b, e.loc, first, span);
  first = arith::MaxSIOp::create(b, e.loc, first, zero);
  end = arith::MinSIOp::create(
      b, e.loc, end, getValueOrCreateConstantIndexOp(b, e.loc, extents[i]));
  return arith::SubIOp::create(b, e.loc, end, first);
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

Value Phase::emitElement(OpBuilder &b, Location loc, Value i) const {
  Value distance = arith::MulIOp::create(
      b, loc, i, arith::ConstantIndexOp::create(b, loc, step));
  Value last =
      arith::ConstantIndexOp::create(b, loc, first + (count - 1) * step);
  return arith::SubIOp::create(b, loc, last, distance);
}

SmallVector<Phase> WindowEmitter::makePhases(unsigned i) {
  const WindowDim &dim = window[i];
  AffineExpr front, extent;
  bindSymbols(e.b.getContext(), front, extent);
  SmallVector<Phase> phases;
  for (int64_t number = 0; number < dim.stride; ++number) {
    // Positions p with (p + before) mod stride = number: those that elements k
    // with k * dilation mod stride = number reach.
    Phase phase;
    phase.step = dim.stride / std::gcd(dim.stride, dim.dilation);
    phase.dilation = phase.step * dim.dilation / dim.stride;
    for (int64_t k = dim.size; k-- > 0;)
      if (k * dim.dilation % dim.stride == number) {
        phase.first = k;
        ++phase.count;
      }
    AffineExpr offset = (-front + number) % dim.stride;
    phase.offset = apply(offset, {before[i], extents[i]});
    phase.size =
        apply((extent - offset).ceilDiv(dim.stride), {before[i], extents[i]});
    if (isZeroInteger(phase.size))
      continue;
    // Position offset + m stride is reached by element k of window
    // begin + m + (first - k) dilation / stride.
    AffineExpr begin = (offset + front - number).floorDiv(dim.stride) -
                       (phase.first * dim.dilation - number) / dim.stride;
    phase.begin = apply(begin - (phase.count - 1) * phase.dilation,
                        {before[i], extents[i]});
    phases.push_back(phase);
  }
  return phases;
}

std::pair<int64_t, int64_t>
WindowEmitter::getOutputPadding(unsigned i, ArrayRef<Phase> phases) {
  const WindowDim &dim = window[i];
  int64_t low = 0, high = 0;
  std::optional<int64_t> count = getConstantIntValue(counts[i]);
  for (const Phase &phase : phases) {
    if (phase.count == 0)
      continue;
    std::optional<int64_t> begin = getConstantIntValue(phase.begin);
    std::optional<int64_t> size = getConstantIntValue(phase.size);
    if (!count || !begin || !size)
      // Enough for any extent: no window begins before the image by more than
      // its span, nor ends as far behind it.
      return {(dim.getSpan() - 1) / dim.stride,
              (dim.getSpan() - 1 + dim.stride - 1) / dim.stride};
    int64_t end = *begin + *size + (phase.count - 1) * phase.dilation;
    low = std::max(low, -*begin);
    high = std::max(high, end - *count);
  }
  return {low, high};
}

Value WindowEmitter::scatter(Value zero, ValueRange outputs,
                             ValueRange padValues, PhaseFn emit) {
  std::array<SmallVector<Phase>, 2> phases = {makePhases(0), makePhases(1)};
  SmallVector<Fold> low, high;
  for (unsigned i : {0, 1}) {
    auto [front, behind] = getOutputPadding(i, phases[i]);
    low.push_back(e.b.getIndexAttr(front));
    high.push_back(e.b.getIndexAttr(behind));
    AffineExpr begin = e.b.getAffineSymbolExpr(0) + front;
    for (Phase &phase : phases[i])
      phase.begin = apply(begin, phase.begin);
  }
  SmallVector<Value> padded;
  for (auto [output, value] : llvm::zip_equal(outputs, padValues))
    padded.push_back(padSpatial(output, low, high, value));

  bool isWhole = window[0].stride == 1 && window[1].stride == 1;
  SmallVector<Fold> offsets(image.size(), e.b.getIndexAttr(0));
  SmallVector<Fold> strides(image.size(), e.b.getIndexAttr(1)), sizes;
  for (Extent extent : image)
    sizes.push_back(e.materialize(extent));
  for (unsigned i : {0, 1})
    strides[i + 1] = e.b.getIndexAttr(window[i].stride);
  Value result = e.empty(image, zero.getType());
  for (const Phase &row : phases[0])
    for (const Phase &column : phases[1]) {
      std::array<Phase, 2> both = {row, column};
      for (unsigned i : {0, 1}) {
        offsets[i + 1] = both[i].offset;
        sizes[i + 1] = both[i].size;
      }
      Value part = isWhole ? result
                           : tensor::ExtractSliceOp::create(
                                 e.b, e.loc, result, offsets, sizes, strides)
                                 .getResult();
      if (row.count == 0 || column.count == 0) {
        part = linalg::FillOp::create(e.b, e.loc, zero, part).getResult(0);
      } else {
        SmallVector<Value> slices;
        for (Value output : padded)
          slices.push_back(sliceOutput(output, both));
        part = emit(both, part, slices);
      }
      result = isWhole ? part
                       : tensor::InsertSliceOp::create(e.b, e.loc, part, result,
                                                       offsets, sizes, strides)
                             .getResult();
    }
  return result;
}

Value WindowEmitter::sliceOutput(Value output,
                                 const std::array<Phase, 2> &phases) {
  SmallVector<Fold> sizes;
  for (Extent extent : e.getExtents(output))
    sizes.push_back(e.materialize(extent));
  SmallVector<Fold> whole = sizes;
  SmallVector<Fold> offsets(sizes.size(), e.b.getIndexAttr(0));
  SmallVector<Fold> strides(sizes.size(), e.b.getIndexAttr(1));
  AffineExpr size = e.b.getAffineSymbolExpr(0);
  for (auto [i, phase] : llvm::enumerate(phases)) {
    offsets[i + 1] = phase.begin;
    sizes[i + 1] = apply(size + (phase.count - 1) * phase.dilation, phase.size);
  }
  if (llvm::all_of(offsets, isZeroInteger) && sizes == whole)
    return output;
  return tensor::ExtractSliceOp::create(e.b, e.loc, output, offsets, sizes,
                                        strides);
}
