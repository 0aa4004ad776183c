//===- WinogradEmitter.cpp - Convolutions by Winograd's method ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WinogradEmitter.h"

#include "flywheel/Dialect/Codegen/Codegen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace flywheel;

/// Returns the finite points. B^T and A^T are exact in f32 with all of them.
/// With those of four outputs the error is half of that with 0, +-1, +-2 in the
/// mean, and a quarter in the worst case.
static ArrayRef<double> getPoints(int64_t m) {
  static constexpr double two[] = {0.0, 1.0, -1.0};
  static constexpr double four[] = {0.0, 0.625, -0.625, 1.5, -1.5};
  assert((m == 2 || m == 4) && "tiles of two or four outputs");
  return m == 2 ? ArrayRef<double>(two) : ArrayRef<double>(four);
}

/// Returns the coefficients of the product of x - p over all `points` except
/// for number `skipped`, the constant one first.
static SmallVector<double> expandProduct(ArrayRef<double> points,
                                         size_t skipped) {
  SmallVector<double> result = {1.0};
  for (auto [number, point] : llvm::enumerate(points)) {
    if (number == skipped)
      continue;
    result.push_back(0.0);
    for (size_t i = result.size() - 1; i > 0; --i)
      result[i] = result[i - 1] - point * result[i];
    result[0] *= -point;
  }
  return result;
}

WinogradMatrices::WinogradMatrices(int64_t m)
    : input(m + 2, m + 2), filter(m + 2, 3), output(m, m + 2) {
  ArrayRef<double> points = getPoints(m);
  for (int64_t i = 0; i < m + 2; ++i) {
    // The last point is infinity, at which the leading coefficient is the
    // value.
    bool isFinite = i < m + 1;
    SmallVector<double> product = expandProduct(points, i);
    double value = 0.0;
    for (auto [k, coefficient] : llvm::enumerate(product)) {
      input.at(i, k) = coefficient;
      if (isFinite)
        value += coefficient * std::pow(points[i], static_cast<double>(k));
    }
    for (int64_t k = 0; k < 3; ++k)
      filter.at(i, k) =
          isFinite ? std::pow(points[i], static_cast<double>(k)) / value
                   : static_cast<double>(k == 2);
    for (int64_t k = 0; k < m; ++k)
      output.at(k, i) = isFinite ? std::pow(points[i], static_cast<double>(k))
                                 : static_cast<double>(k == m - 1);
  }
}

Value WinogradEmitter::coefficients(const Coefficients &matrix, Type type) {
  auto tensorType = RankedTensorType::get({matrix.rows, matrix.columns}, type);
  SmallVector<Attribute> elements;
  for (double element : matrix.elements)
    elements.push_back(FloatAttr::get(type, element));
  return arith::ConstantOp::create(
      e.b, e.loc, DenseElementsAttr::get(tensorType, elements));
}

Value WinogradEmitter::apply(const Coefficients &matrix, unsigned row,
                             Value input, ArrayRef<AffineExpr> inputIndices,
                             ArrayRef<int64_t> shape, Value init) {
  MLIRContext *context = e.b.getContext();
  Type type = getElementTypeOrSelf(input);
  int64_t rank = shape.size();
  Value zero = e.scalar(type, 0.0);
  if (!init)
    init = tensor::EmptyOp::create(e.b, e.loc, shape, type);
  init = linalg::FillOp::create(e.b, e.loc, zero, init).getResult(0);
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(rank + 1, 0, results, context);
  };
  SmallVector<AffineExpr> output;
  for (int64_t dim = 0; dim < rank; ++dim)
    output.push_back(e.b.getAffineDimExpr(dim));
  return e.generic({coefficients(matrix, type), input}, init,
                   {map({output[row], e.b.getAffineDimExpr(rank)}),
                    map(inputIndices), map(output)},
                   [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                     Value product =
                         arith::MulFOp::create(b, loc, args[0], args[1]);
                     return arith::AddFOp::create(b, loc, args[2], product);
                   });
}

Value WinogradEmitter::countWork(Value value) {
  StringRef name = codegen::CodegenDialect::getWorkAttrName();
  if (Attribute work = e.op->getAttr(name))
    value.getDefiningOp()->setAttr(name, work);
  return value;
}

Value WinogradEmitter::reshape(Value tensor, ArrayRef<int64_t> shape,
                               ArrayRef<ReassociationIndices> groups) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (static_cast<int64_t>(shape.size()) < type.getRank())
    return tensor::CollapseShapeOp::create(e.b, e.loc, type.clone(shape),
                                           tensor, groups);
  return tensor::ExpandShapeOp::create(e.b, e.loc, type.clone(shape), tensor,
                                       groups);
}

Value WinogradEmitter::transformFilter(Value filter, ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(filter.getType()).getShape();
  int64_t length = m + 2, channels = shape[dims[2]], outputs = shape[dims[3]];
  WinogradMatrices matrices(m);
  AffineExpr a, q, c, o, k;
  bindDims(e.b.getContext(), a, q, c, o, k);
  SmallVector<AffineExpr> indices(4);
  const std::array<AffineExpr, 4> roles = {k, q, c, o};
  for (auto [dim, expr] : llvm::zip_equal(dims, roles))
    indices[dim] = expr;
  Value columns = apply(matrices.filter, 0, filter, indices,
                        {length, 3, channels, outputs});
  Value both = apply(matrices.filter, 1, columns, {a, k, c, o},
                     {length, length, channels, outputs});
  return reshape(both, {length * length, channels, outputs},
                 {{0, 1}, {2}, {3}});
}

Value WinogradEmitter::emitBlock(const WinogradBlock &block, Value image,
                                 Value filter, Value init) {
  auto type = cast<RankedTensorType>(image.getType());
  int64_t length = block.getLength(), channels = type.getDimSize(3);
  int64_t outputs = cast<RankedTensorType>(filter.getType()).getDimSize(2);
  int64_t width = block.columns * m + 2, tiles = block.countTiles();
  WinogradMatrices matrices(m);
  MLIRContext *context = e.b.getContext();

  // Adds zeros after the image if the last tiles are larger.
  RankedTensorType whole =
      type.clone({block.images, block.rows * m + 2, width, channels});
  if (type != whole) {
    Value zero = e.scalar(type.getElementType(), 0.0);
    Value room = tensor::EmptyOp::create(e.b, e.loc, whole.getShape(),
                                         whole.getElementType());
    room = linalg::FillOp::create(e.b, e.loc, zero, room).getResult(0);
    SmallVector<OpFoldResult> offsets(4, e.b.getIndexAttr(0)),
        strides(4, e.b.getIndexAttr(1));
    image = tensor::InsertSliceOp::create(
        e.b, e.loc, image, room, offsets,
        tensor::getMixedSizes(e.b, e.loc, image), strides);
  }

  // Along the height, for whole rows of the image; then along the width.
  image = reshape(image, {block.images, block.rows * m + 2, width * channels},
                  {{0}, {1}, {2, 3}});
  AffineExpr a, b, n, r, s, c, k;
  bindDims(context, a, n, r, c, k);
  Value rows = apply(matrices.input, 0, image, {n, r * m + k, c},
                     {length, block.images, block.rows, width * channels});
  rows = reshape(countWork(rows),
                 {length, block.images, block.rows, width, channels},
                 {{0}, {1}, {2}, {3, 4}});
  bindDims(context, a, b, n, r, s, c, k);
  Value inputs = apply(
      matrices.input, 1, rows, {a, n, r, s * m + k, c},
      {length, length, block.images, block.rows, block.columns, channels});
  inputs = reshape(countWork(inputs), {length * length, tiles, channels},
                   {{0, 1}, {2, 3, 4}, {5}});

  Value zero = e.scalar(type.getElementType(), 0.0);
  Value sums = tensor::EmptyOp::create(
      e.b, e.loc, ArrayRef<int64_t>{length * length, tiles, outputs},
      type.getElementType());
  sums = linalg::FillOp::create(e.b, e.loc, zero, sums).getResult(0);
  sums = linalg::BatchMatmulOp::create(e.b, e.loc, ValueRange{inputs, filter},
                                       sums)
             .getResult(0);

  sums = reshape(countWork(sums), {length, length, tiles, outputs},
                 {{0, 1}, {2}, {3}});
  sums = reshape(sums, {length, length * tiles * outputs}, {{0}, {1, 2, 3}});
  AffineExpr i, j;
  bindDims(context, i, c, k);
  sums = apply(matrices.output, 0, sums, {k, c}, {m, length * tiles * outputs});
  sums = reshape(countWork(sums),
                 {m, length, block.images, block.rows, block.columns, outputs},
                 {{0}, {1, 2, 3, 4, 5}});
  SmallVector<ReassociationIndices> groups = {{0}, {1, 2}, {3, 4}, {5}};
  SmallVector<int64_t> split = {block.images,  block.rows, m,
                                block.columns, m,          outputs};
  if (init)
    init = reshape(init, split, groups);
  bindDims(context, n, r, i, s, j, c, k);
  sums = apply(matrices.output, 4, sums, {i, k, n, r, s, c}, split, init);
  return reshape(countWork(sums),
                 {block.images, block.rows * m, block.columns * m, outputs},
                 groups);
}
