//===- Window.cpp - A window that slides over an image --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NNSupport.h"

#include "flywheel/Dialect/Clauses.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace flywheel;
using namespace flywheel::nn;

/// The maximum of each number of a window. Sums and products of such numbers
/// and of dimension sizes up to `maxImageDimSize` do not overflow.
static constexpr int64_t maxWindowNumber = std::numeric_limits<int32_t>::max();
static constexpr int64_t maxImageDimSize = int64_t(1) << 61;

#define GET_ATTRDEF_CLASSES
#include "flywheel/Dialect/NN/NNAttributes.cpp.inc"

void NNDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "flywheel/Dialect/NN/NNAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

int64_t WindowDim::getLeastDimSize() const {
  switch (padding) {
  case PaddingKind::valid:
    return getSpan();
  case PaddingKind::same:
    return 1;
  case PaddingKind::explicit_:
    return std::max<int64_t>(1, getSpan() - before - after);
  }
  llvm_unreachable("every kind of padding is handled");
}

AffineExpr WindowDim::getCount(AffineExpr dimSize) const {
  if (padding == PaddingKind::same)
    return (dimSize - 1).floorDiv(stride) + 1;
  return (dimSize + (before + after - getSpan())).floorDiv(stride) + 1;
}

int64_t WindowDim::getCount(int64_t dimSize) const {
  if (ShapedType::isDynamic(dimSize))
    return dimSize;
  if (padding == PaddingKind::same)
    return llvm::divideCeil(dimSize, stride);
  return (dimSize + before + after - getSpan()) / stride + 1;
}

int64_t WindowDim::getImageDimSize(int64_t count) const {
  constexpr uint64_t most = std::numeric_limits<int64_t>::max();
  auto scale = [&](int64_t number) -> int64_t {
    return std::min(most, llvm::SaturatingMultiply<uint64_t>(number, stride));
  };
  if (padding == PaddingKind::same)
    return scale(count);
  return std::min<uint64_t>(most, static_cast<uint64_t>(scale(count - 1)) +
                                      getSpan()) -
         before - after;
}

AffineExpr WindowDim::getSamePadding(AffineExpr dimSize) const {
  // (out - 1) s + k - in, where in - 1 = (out - 1) s + (in - 1) mod s.
  return -((dimSize - 1) % stride) + (getSpan() - 1);
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

LogicalResult PaddingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  PaddingKind kind, ArrayRef<int64_t> amounts) {
  size_t expected = kind == PaddingKind::explicit_ ? 4 : 0;
  if (amounts.size() != expected)
    return emitError() << "expected " << expected << " amounts of "
                       << stringifyPaddingKind(kind) << " padding, found "
                       << amounts.size();
  for (int64_t amount : amounts) {
    if (amount < 0)
      return emitError() << "expected padding of at least 0, found " << amount;
    if (amount > maxWindowNumber)
      return emitError() << "expected padding of at most " << maxWindowNumber
                         << ", found " << amount;
  }
  return success();
}

PaddingAttr PaddingAttr::parseBare(AsmParser &parser) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return {};
  std::optional<PaddingKind> kind = symbolizePaddingKind(keyword);
  if (!kind) {
    parser.emitError(loc) << "expected padding same, valid or explicit, found '"
                          << keyword << "'";
    return {};
  }
  SmallVector<int64_t> amounts;
  auto parsePair = [&]() -> ParseResult {
    return failure(
        parser.parseLSquare() || parser.parseInteger(amounts.emplace_back()) ||
        parser.parseComma() || parser.parseInteger(amounts.emplace_back()) ||
        parser.parseRSquare());
  };
  if (*kind == PaddingKind::explicit_ &&
      (parser.parseLSquare() || parsePair() || parser.parseComma() ||
       parsePair() || parser.parseRSquare()))
    return {};
  return parser.getChecked<PaddingAttr>(loc, parser.getContext(), *kind,
                                        amounts);
}

void PaddingAttr::printBare(AsmPrinter &printer) const {
  printer << stringifyPaddingKind(getKind());
  ArrayRef<int64_t> amounts = getAmounts();
  if (getKind() == PaddingKind::explicit_)
    printer << " [[" << amounts[0] << ", " << amounts[1] << "], [" << amounts[2]
            << ", " << amounts[3] << "]]";
}

Attribute PaddingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  PaddingAttr result = parseBare(parser);
  if (!result || parser.parseGreater())
    return {};
  return result;
}

void PaddingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printBare(printer);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static ParseResult parseList(OpAsmParser &parser, DenseI64ArrayAttr &result) {
  result =
      dyn_cast_or_null<DenseI64ArrayAttr>(DenseI64ArrayAttr::parse(parser, {}));
  return success(result != nullptr);
}

static ParseResult parsePadding(OpAsmParser &parser, PaddingAttr &padding) {
  padding = PaddingAttr::parseBare(parser);
  return success(padding != nullptr);
}

static PaddingAttr getNoPadding(OpAsmParser &parser) {
  return PaddingAttr::get(parser.getContext(), PaddingKind::valid);
}

static void printList(OpAsmPrinter &printer, StringRef keyword,
                      ArrayRef<int64_t> list, ArrayRef<int64_t> whenAbsent) {
  if (list == whenAbsent)
    return;
  printer << ' ' << keyword << " [";
  llvm::interleaveComma(list, printer);
  printer << ']';
}

static void printPadding(OpAsmPrinter &printer, PaddingAttr padding) {
  if (padding.getKind() == PaddingKind::valid)
    return;
  printer << " padding ";
  padding.printBare(printer);
}

ParseResult flywheel::nn::parseSliding(OpAsmParser &parser,
                                       DenseI64ArrayAttr &strides,
                                       PaddingAttr &padding,
                                       DenseI64ArrayAttr &dilations) {
  strides = dilations = parser.getBuilder().getDenseI64ArrayAttr({1, 1});
  padding = getNoPadding(parser);
  auto parseStrides = [&] { return parseList(parser, strides); };
  auto parseAmounts = [&] { return parsePadding(parser, padding); };
  auto parseDilations = [&] { return parseList(parser, dilations); };
  Clause clauses[] = {{"strides", parseStrides},
                      {"padding", parseAmounts},
                      {"dilations", parseDilations}};
  return parseClauses(parser, clauses);
}

void flywheel::nn::printSliding(OpAsmPrinter &printer, Operation *,
                                DenseI64ArrayAttr strides, PaddingAttr padding,
                                DenseI64ArrayAttr dilations) {
  printList(printer, "strides", strides, {1, 1});
  printPadding(printer, padding);
  printList(printer, "dilations", dilations, {1, 1});
}

ParseResult flywheel::nn::parsePoolWindow(OpAsmParser &parser,
                                          DenseI64ArrayAttr &window,
                                          DenseI64ArrayAttr &strides,
                                          PaddingAttr &padding) {
  padding = getNoPadding(parser);
  auto parseWindow = [&] { return parseList(parser, window); };
  auto parseStrides = [&] { return parseList(parser, strides); };
  auto parseAmounts = [&] { return parsePadding(parser, padding); };
  Clause clauses[] = {{"window", parseWindow},
                      {"strides", parseStrides},
                      {"padding", parseAmounts}};
  if (parseClauses(parser, clauses))
    return failure();
  if (!window)
    return parser.emitError(parser.getCurrentLocation()) << "expected 'window'";
  if (!strides)
    strides = window;
  return success();
}

void flywheel::nn::printPoolWindow(OpAsmPrinter &printer, Operation *,
                                   DenseI64ArrayAttr window,
                                   DenseI64ArrayAttr strides,
                                   PaddingAttr padding) {
  printList(printer, "window", window, {});
  printList(printer, "strides", strides, window);
  printPadding(printer, padding);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult flywheel::nn::verifyPair(OpErrors op, StringRef what,
                                       ArrayRef<int64_t> pair) {
  if (pair.size() != 2)
    return op.emitOpError()
           << "expected " << what << " of height and width, found "
           << pair.size() << (pair.size() == 1 ? " number" : " numbers");
  for (int64_t number : pair) {
    if (number < 1)
      return op.emitOpError()
             << "expected " << what << " of at least 1, found " << number;
    if (number > maxWindowNumber)
      return op.emitOpError() << "expected " << what << " of at most "
                              << maxWindowNumber << ", found " << number;
  }
  return success();
}

Window flywheel::nn::makeWindow(ArrayRef<int64_t> sizes,
                                ArrayRef<int64_t> strides, PaddingAttr padding,
                                ArrayRef<int64_t> dilations) {
  Window window;
  for (auto [i, dim] : llvm::enumerate(window)) {
    dim.size = sizes[i];
    dim.stride = strides[i];
    dim.dilation = dilations[i];
    dim.padding = padding.getKind();
    if (dim.padding == PaddingKind::explicit_) {
      dim.before = padding.getAmounts()[2 * i];
      dim.after = padding.getAmounts()[2 * i + 1];
    }
  }
  return window;
}

static StringRef nameOf(int64_t dim) { return dim == 1 ? "height" : "width"; }

/// Returns the words for an image whose dimension `dim` has a window.
static std::string describeLeast(const WindowDim &window, int64_t dim) {
  return ("an image whose " + nameOf(dim) + " is at least " +
          Twine(window.getLeastDimSize()) + ", that of one window")
      .str();
}

LogicalResult flywheel::nn::verifyImageSize(OpErrors op, Value image) {
  for (int64_t dim : {1, 2})
    if (int64_t size = tensorOf(image).getDimSize(dim); size > maxImageDimSize)
      return op.emitOpError()
             << "expected an image whose " << nameOf(dim) << " is at most "
             << maxImageDimSize << ", found " << size;
  return success();
}

FailureOr<SmallVector<int64_t>> flywheel::nn::inferSliding(OpErrors op,
                                                           const Window &window,
                                                           Value image,
                                                           int64_t channels) {
  if (failed(verifyImageSize(op, image)))
    return failure();
  SmallVector<int64_t> shape = {tensorOf(image).getDimSize(0)};
  for (int64_t dim : {1, 2}) {
    int64_t size = tensorOf(image).getDimSize(dim);
    if (!ShapedType::isDynamic(size) &&
        size < window[dim - 1].getLeastDimSize())
      return op.emitOpError()
             << "expected " << describeLeast(window[dim - 1], dim) << ", found "
             << size;
    shape.push_back(window[dim - 1].getCount(size));
  }
  shape.push_back(channels);
  return shape;
}

DimSizeFormula flywheel::nn::getWindowCount(const Window &window, Value image,
                                            int64_t dim) {
  AffineExpr size = getAffineSymbolExpr(0, image.getContext());
  return {image, dim, window[dim - 1].getCount(size)};
}

void flywheel::nn::relateWindows(const Window &window, Value image,
                                 Value output, SizeRelationSink &sizes) {
  sizes.equalDims(image, 0, output, 0, "the image", "the output");
  for (int64_t dim : {1, 2}) {
    sizes.atLeast(image, dim, window[dim - 1].getLeastDimSize(),
                  describeLeast(window[dim - 1], dim), "\1");
    sizes.equalFormula(getWindowCount(window, image, dim), output, dim,
                       "number of windows over the image and " + nameOf(dim) +
                           " of the output");
  }
}

LogicalResult flywheel::nn::verifyLike(OpErrors op, Value result, Value like) {
  if (like)
    return verifyResultShape(op, result, tensorOf(like).getShape());
  RankedTensorType type = tensorOf(result);
  if (type.isDynamicDim(1) || type.isDynamicDim(2))
    return op.emitOpError() << "expected `like` for a result with dynamic "
                               "height or width, found none";
  return success();
}
