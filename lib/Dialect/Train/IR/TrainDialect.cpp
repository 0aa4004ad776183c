//===- TrainDialect.cpp - The train dialect -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParameterList.h"

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace flywheel::train;

#include "flywheel/Dialect/Train/TrainAttrInterfaces.cpp.inc"
#include "flywheel/Dialect/Train/TrainDialect.cpp.inc"
#include "flywheel/Dialect/Train/TrainEnums.cpp.inc"
#include "flywheel/Dialect/Train/TrainOpInterfaces.cpp.inc"

void Real::print(llvm::raw_ostream &os) const {
  if (!std::isfinite(value)) {
    os << llvm::format_hex(llvm::bit_cast<uint64_t>(value), 18, true)
       << " : f64";
    return;
  }
  // Six digits if they are exact, otherwise seventeen, which always are.
  char text[32];
  std::snprintf(text, sizeof(text), "%.6e", value);
  if (std::strtod(text, nullptr) != value)
    std::snprintf(text, sizeof(text), "%.16e", value);
  os << text;
}

/// Returns the number that a float or integer attribute holds; none for
/// anything else.
static std::optional<double> getNumber(mlir::Attribute attribute) {
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(attribute))
    return number.getValueAsDouble();
  auto number = mlir::dyn_cast<mlir::IntegerAttr>(attribute);
  if (!number || number.getType().isInteger(1))
    return std::nullopt;
  llvm::APFloat real(llvm::APFloat::IEEEdouble());
  real.convertFromAPInt(number.getValue(),
                        !number.getType().isUnsignedInteger(),
                        llvm::APFloat::rmNearestTiesToEven);
  return real.convertToDouble();
}

// Numbers in attributes are written as users write them: `0.1`, `1.0e-7` or
// `1`.
namespace mlir {
template <> struct FieldParser<Real> {
  static FailureOr<Real> parse(AsmParser &parser) {
    Attribute value;
    SMLoc loc = parser.getCurrentLocation();
    // Hexadecimal digits are the bits of a float, but the value of an integer.
    StringRef digits(loc.getPointer() + (*loc.getPointer() == '-'), 2);
    if (parser.parseAttribute(value))
      return failure();
    std::optional<double> number = getNumber(value);
    if (digits.starts_with_insensitive("0x") && isa<IntegerAttr>(value))
      return parser.emitError(loc)
             << "expected a number in decimal digits, found hexadecimal ones, "
                "which are the bits of a float elsewhere";
    if (number && std::isfinite(*number))
      return Real(*number);
    parser.emitError(loc) << "expected a finite number, found " << value;
    return failure();
  }
};
template <> struct FieldParser<std::optional<Real>> {
  static FailureOr<std::optional<Real>> parse(AsmParser &parser) {
    FailureOr<Real> value = FieldParser<Real>::parse(parser);
    if (failed(value))
      return failure();
    return std::optional<Real>(*value);
  }
};
} // namespace mlir

/// Parses the `<` before parameters of which `parameter` has no default.
static mlir::ParseResult parseOpeningBracket(mlir::AsmParser &parser,
                                             llvm::StringRef parameter) {
  if (mlir::succeeded(parser.parseOptionalLess()))
    return mlir::success();
  return parser.emitError(parser.getCurrentLocation())
         << "expected '<' and " << parameter << ", which has no default";
}

static void printOpeningBracket(mlir::AsmPrinter &printer, llvm::StringRef) {
  printer << "<";
}

static mlir::ParseResult
parseParameters(mlir::AsmParser &parser, llvm::StringRef mnemonic,
                std::initializer_list<Parameter> parameters) {
  return checkParameters(parser, mnemonic, parameters);
}

static void printParameters(mlir::AsmPrinter &, llvm::StringRef,
                            std::initializer_list<Parameter>) {}

static mlir::ParseResult parseOnlyParameter(mlir::AsmParser &parser,
                                            llvm::StringRef mnemonic,
                                            const ParameterKind &kind) {
  return checkOnlyParameter(parser, mnemonic, kind);
}

static void printOnlyParameter(mlir::AsmPrinter &, llvm::StringRef,
                               const ParameterKind &) {}

static mlir::FailureOr<mlir::DenseF64ArrayAttr>
parseNumbers(mlir::AsmParser &parser) {
  llvm::SmallVector<double> numbers;
  auto parseOne = [&]() -> mlir::ParseResult {
    mlir::FailureOr<Real> number = mlir::FieldParser<Real>::parse(parser);
    if (mlir::failed(number))
      return mlir::failure();
    numbers.push_back(*number);
    return mlir::success();
  };
  if (mlir::failed(parser.parseCommaSeparatedList(
          mlir::AsmParser::Delimiter::Square, parseOne)))
    return mlir::failure();
  return mlir::DenseF64ArrayAttr::get(parser.getContext(), numbers);
}

static void printNumbers(mlir::AsmPrinter &printer,
                         mlir::DenseF64ArrayAttr numbers) {
  printer << "[";
  llvm::interleaveComma(numbers.asArrayRef(), printer,
                        [&](double number) { printer << Real(number); });
  printer << "]";
}

#define GET_ATTRDEF_CLASSES
#include "flywheel/Dialect/Train/TrainAttributes.cpp.inc"

/// Adds the name of `AttrT` to `names`, if it has `Interface`.
template <typename Interface, typename AttrT>
static void addName(std::string &names) {
  if constexpr (std::is_base_of_v<typename Interface::template Trait<AttrT>,
                                  AttrT>)
    names +=
        (names.empty() ? "#train." : ", #train.") + AttrT::getMnemonic().str();
}

/// Returns the names of those of `Attrs` that have `Interface`.
template <typename Interface, typename... Attrs>
static std::string joinNames() {
  std::string names;
  (addName<Interface, Attrs>(names), ...);
  return names;
}

template <typename Interface> static std::string listAttributes() {
  return joinNames<Interface,
#define GET_ATTRDEF_LIST
#include "flywheel/Dialect/Train/TrainAttributes.cpp.inc"
                   >();
}

mlir::Attribute TrainDialect::parseAttribute(mlir::DialectAsmParser &parser,
                                             mlir::Type type) const {
  // After the error that describes the problem, generated parsers report the
  // C++ type of a parameter.
  mlir::ScopedDiagnosticHandler handler(
      parser.getContext(), [](mlir::Diagnostic &diagnostic) {
        return mlir::success(
            llvm::StringRef(diagnostic.str()).starts_with("failed to parse "));
      });
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef mnemonic;
  mlir::Attribute attribute;
  if (mlir::OptionalParseResult result =
          generatedAttributeParser(parser, &mnemonic, type, attribute);
      result.has_value()) {
    // Upstream ignores text behind an attribute without parameters.
    llvm::SMLoc end = parser.getCurrentLocation();
    if (mlir::failed(*result) || mlir::failed(parser.parseOptionalLess()) ||
        mlir::succeeded(parser.parseOptionalGreater()))
      return attribute;
    parser.emitError(end) << "expected no parameters of #"
                          << attribute.getAbstractAttribute().getName();
    return {};
  }
  parser.emitError(loc) << "unknown attribute `" << mnemonic
                        << "` in dialect `train`: the optimizers are "
                        << listAttributes<OptimizerAttrInterface>()
                        << "; the initial values are "
                        << listAttributes<InitializerAttrInterface>() << ", "
                        << "#train." << StringsAttr::getMnemonic()
                        << "; the constraints are "
                        << listAttributes<ConstraintAttrInterface>();
  return {};
}

void TrainDialect::printAttribute(mlir::Attribute attribute,
                                  mlir::DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

#define GET_TYPEDEF_CLASSES
#include "flywheel/Dialect/Train/TrainTypes.cpp.inc"

mlir::Type flywheel::train::getStorageElementType(mlir::Type elementType) {
  if (mlir::isa<StringType>(elementType))
    return mlir::IntegerType::get(elementType.getContext(), 64);
  auto integer = mlir::dyn_cast<mlir::IntegerType>(elementType);
  if (!integer || !integer.isUnsigned())
    return elementType;
  return mlir::IntegerType::get(integer.getContext(), integer.getWidth());
}

mlir::RankedTensorType
flywheel::train::getStorageType(mlir::RankedTensorType type) {
  return mlir::RankedTensorType::get(
      type.getShape(), getStorageElementType(type.getElementType()),
      type.getEncoding());
}

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
  addTypes<
#define GET_TYPEDEF_LIST
#include "flywheel/Dialect/Train/TrainTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "flywheel/Dialect/Train/TrainOps.cpp.inc"
      >();
  addInterfaces<TrainInlinerInterface>();
}
