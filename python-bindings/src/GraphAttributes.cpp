//===- GraphAttributes.cpp - From Python values to attributes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Errors.h"
#include "Graph.h"

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstring>
#include <mutex>

namespace nb = nanobind;
using namespace mlir;

namespace flywheel::python {

static std::string getString(nb::handle value) {
  return nb::cast<std::string>(value);
}

/// Formats a number of an attribute that is a structure, such as a rate.
static std::string formatNumber(const std::string &name, double value) {
  if (!std::isfinite(value)) {
    std::string found = std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    throw nb::value_error(
        ("expected a finite " + name + ", found " + found).c_str());
  }
  llvm::SmallString<32> text;
  llvm::APFloat(value).toString(text, /*FormatPrecision=*/17,
                                /*FormatMaxPadding=*/0);
  // MLIR wants a point.
  if (!StringRef(text).contains('.')) {
    size_t exponent = StringRef(text).find_first_of("eE");
    std::string rest =
        exponent == StringRef::npos ? "" : text.substr(exponent).str();
    return text.substr(0, exponent).str() + ".0" + rest;
  }
  return text.str().str();
}

static std::string formatField(const std::string &name, nb::handle value) {
  if (nb::isinstance<nb::bool_>(value))
    return nb::cast<bool>(value) ? "true" : "false";
  if (nb::isinstance<nb::int_>(value))
    return std::to_string(nb::cast<int64_t>(value));
  if (nb::isinstance<nb::float_>(value))
    return formatNumber(name, nb::cast<double>(value));
  if (nb::isinstance<nb::str>(value)) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << '"';
    llvm::printEscapedString(getString(value), os);
    os << '"';
    return text;
  }
  std::string text = "[";
  for (nb::handle item : nb::iter(value))
    text += (text.size() == 1 ? "" : ", ") + formatField(name, item);
  return text + "]";
}

static Attribute parse(Graph &graph, const std::string &text) {
  DiagnosticCollector diagnostics(graph.getContext(), graph.getPrinter());
  Attribute attribute = parseAttribute(text, graph.getContext());
  if (!attribute)
    throwDiagnostics(diagnostics);
  return attribute;
}

/// `#train.sgd<lr = 0.1, nesterov = true>` of "train.sgd" and {"lr": 0.1, ...}.
static std::string formatStruct(const std::string &name, nb::dict fields) {
  std::string text;
  for (auto [key, field] : fields) {
    std::string own = getString(key);
    text += (text.empty() ? "" : ", ") + own + " = " + formatField(own, field);
  }
  return "#" + name + (text.empty() ? "" : "<" + text + ">");
}

/// Builds the attribute of ("train.sgd", {"lr": 0.1, ...}).
static Attribute makeStruct(Graph &graph, nb::handle value) {
  auto parts = nb::cast<nb::tuple>(value);
  std::string name = getString(parts[0]);
  graph.getContext()->getOrLoadDialect(StringRef(name).split('.').first);
  return parse(graph, formatStruct(name, nb::cast<nb::dict>(parts[1])));
}

void checkStruct(const std::string &name, nb::dict fields) {
  std::string text = formatStruct(name, fields);
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  // Kept: making one takes longer than the check.
  static auto *context = [] {
    auto *made = new MLIRContext(MLIRContext::Threading::DISABLED);
    made->loadDialect<train::TrainDialect>();
    return made;
  }();
  std::string error;
  ScopedDiagnosticHandler handler(
      context, [&](Diagnostic &diagnostic) { error = diagnostic.str(); });
  Attribute attribute = parseAttribute(text, context);
  // A value that is wrong for numbers of any type is reported without a
  // variable.
  auto initializer =
      dyn_cast_or_null<train::InitializerAttrInterface>(attribute);
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(context)); };
  if (!attribute ||
      (initializer &&
       failed(initializer.verifyInitializer(
           emitError, RankedTensorType::get({}, Float64Type::get(context))))))
    throw nb::value_error(error.c_str());
}

template <typename T> static SmallVector<T> getList(nb::handle value) {
  SmallVector<T> list;
  for (nb::handle item : nb::iter(value))
    list.push_back(nb::cast<T>(item));
  return list;
}

/// Returns the elements of a numpy array, as an attribute of `type`.
static DenseElementsAttr makeElements(nb::handle array, RankedTensorType type) {
  if (!PyArray_Check(array.ptr()))
    throw nb::type_error("expected a numpy array");
  auto *given = reinterpret_cast<PyArrayObject *>(array.ptr());
  std::optional<runtime::DType> dtype =
      getArrayDType(given, runtime::DType::F32);
  if (!dtype)
    throw nb::type_error(
        ("no constant has elements of dtype " + getDTypeText(given)).c_str());
  nb::object dense = nb::steal(makeDense(given, *dtype, "a constant"));
  if (!dense.ptr())
    throw nb::python_error();
  auto *typed = reinterpret_cast<PyArrayObject *>(dense.ptr());
  auto *data = static_cast<const char *>(PyArray_DATA(typed));
  size_t count = PyArray_SIZE(typed), width = PyArray_ITEMSIZE(typed);
  if (count != static_cast<size_t>(type.getNumElements()) && count != 1)
    throw nb::value_error("expected as many elements as the type has, or one");
  // Equal elements are stored as one.
  bool isSplat =
      count >= 1 && std::memcmp(data, data + width, (count - 1) * width) == 0;
  size_t kept = isSplat ? 1 : count;
  if (type.getElementType().isInteger(1))
    return DenseElementsAttr::get(
        type, ArrayRef(reinterpret_cast<const bool *>(data), kept));
  return DenseElementsAttr::getFromRawBuffer(type,
                                             ArrayRef(data, kept * width));
}

Attribute Graph::makeAttribute(nb::handle kindAndValue) {
  auto pair = nb::cast<nb::tuple>(kindAndValue);
  std::string kind = getString(pair[0]);
  nb::handle value = pair[1];
  Builder &b = builder;
  auto symbol = [&](nb::handle name) -> Attribute {
    return FlatSymbolRefAttr::get(getContext(), getString(name));
  };
  auto list = [&](auto make) -> Attribute {
    SmallVector<Attribute> all;
    for (nb::handle item : nb::iter(value))
      all.push_back(make(item));
    return b.getArrayAttr(all);
  };
  if (kind == "i64")
    return b.getI64IntegerAttr(nb::cast<int64_t>(value));
  if (kind == "i32")
    return b.getI32IntegerAttr(nb::cast<int32_t>(value));
  if (kind == "index")
    return b.getIndexAttr(nb::cast<int64_t>(value));
  if (kind == "bool")
    return b.getBoolAttr(nb::cast<bool>(value));
  if (kind == "f64")
    return b.getF64FloatAttr(nb::cast<double>(value));
  if (kind == "f32")
    return b.getF32FloatAttr(nb::cast<float>(value));
  if (kind == "unit")
    return b.getUnitAttr();
  if (kind == "str")
    return b.getStringAttr(getString(value));
  if (kind == "strs")
    return list([&](nb::handle item) -> Attribute {
      return b.getStringAttr(getString(item));
    });
  if (kind == "symbol")
    return symbol(value);
  if (kind == "symbols")
    return list(symbol);
  if (kind == "i64s")
    return b.getDenseI64ArrayAttr(getList<int64_t>(value));
  if (kind == "i32s")
    return b.getDenseI32ArrayAttr(getList<int32_t>(value));
  if (kind == "groups")
    return list([&](nb::handle item) -> Attribute {
      return b.getI64ArrayAttr(getList<int64_t>(item));
    });
  if (kind == "type")
    return TypeAttr::get(nb::cast<PyType &>(value).type);
  if (kind == "elements") {
    auto parts = nb::cast<nb::tuple>(value);
    return makeElements(
        parts[0], cast<RankedTensorType>(nb::cast<PyType &>(parts[1]).type));
  }
  if (kind == "constant") {
    auto parts = nb::cast<nb::tuple>(value);
    return train::ConstantAttr::get(
        getContext(),
        makeElements(parts[0], cast<RankedTensorType>(
                                   nb::cast<PyType &>(parts[1]).type)));
  }
  if (kind == "strings")
    return train::StringsAttr::get(
        getContext(), cast<ArrayAttr>(list([&](nb::handle item) -> Attribute {
          auto bytes = nb::cast<nb::bytes>(item);
          return b.getStringAttr(StringRef(bytes.c_str(), bytes.size()));
        })));
  if (kind == "byte_strs")
    return list([&](nb::handle item) -> Attribute {
      auto bytes = nb::cast<nb::bytes>(item);
      return b.getStringAttr(StringRef(bytes.c_str(), bytes.size()));
    });
  if (kind == "struct")
    return makeStruct(*this, value);
  if (kind == "text")
    return parse(*this, getString(value));
  throw nb::value_error(
      ("there is no kind of attribute '" + kind + "'").c_str());
}

/// Returns the Python type of which an attribute of `kind` is made, in words.
static StringRef describeKind(StringRef kind) {
  return llvm::StringSwitch<StringRef>(kind)
      .Cases({"i64", "i32", "index"}, "an integer")
      .Cases({"i64s", "i32s"}, "a sequence of integers")
      .Cases({"f64", "f32"}, "a number")
      .Case("bool", "a bool")
      .Cases({"str", "symbol"}, "a str")
      .Cases({"strs", "symbols"}, "a sequence of str")
      .Default("another value");
}

NamedAttrList Graph::makeAttributes(nb::dict attributes) {
  NamedAttrList list;
  auto refuse = [&](nb::handle name, nb::handle given) {
    auto pair = nb::cast<nb::tuple>(given);
    throw nb::type_error(("expected " + describeKind(getString(pair[0])).str() +
                          " as " + getString(name) + ", found " +
                          getString(nb::repr(pair[1])))
                             .c_str());
  };
  for (auto [name, value] : attributes) {
    try {
      list.set(getString(name), makeAttribute(value));
    } catch (const std::bad_cast &) {
      refuse(name, value);
    } catch (nb::python_error &error) {
      // The value is not a sequence.
      if (!error.matches(PyExc_TypeError))
        throw;
      refuse(name, value);
    }
  }
  return list;
}

PyValue Graph::createConstant(nb::handle array, const PyType &type) {
  auto tensor = dyn_cast<RankedTensorType>(type.type);
  if (!tensor || !tensor.hasStaticShape())
    throw nb::value_error("expected the type of a tensor of static shape");
  if (!function && frames.empty())
    throw nb::value_error("no function is being traced in this graph");
  getContext()->getOrLoadDialect<arith::ArithDialect>();
  return wrap(arith::ConstantOp::create(builder, findLocation(),
                                        makeElements(array, tensor)));
}

} // namespace flywheel::python
