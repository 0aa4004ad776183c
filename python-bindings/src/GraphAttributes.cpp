//===- GraphAttributes.cpp - From Python values to attributes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Attributes.h"
#include "Graph.h"

#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <nanobind/stl/string.h>

#include <cstring>

namespace nb = nanobind;
using namespace nb::literals;
using namespace mlir;

namespace flywheel::python {

static std::string getString(nb::handle value) {
  return nb::cast<std::string>(value);
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

/// Returns the type of a handle, which has to be one of the graph.
static Type getType(Builder &b, nb::handle handle) {
  Type type = nb::cast<PyType &>(handle).type;
  if (type.getContext() != b.getContext())
    throw nb::value_error("expected a type of this graph");
  return type;
}

/// Returns the elements of a pair of a numpy array and its type.
static DenseElementsAttr makeElements(Builder &b, nb::handle pair) {
  auto parts = nb::cast<nb::tuple>(pair);
  auto type = dyn_cast<RankedTensorType>(getType(b, parts[1]));
  if (!type)
    throw nb::value_error("expected the type of a tensor");
  return makeElements(parts[0], type);
}

static ArrayAttr makeList(Builder &b, nb::handle values,
                          function_ref<Attribute(nb::handle)> make) {
  SmallVector<Attribute> all;
  for (nb::handle value : nb::iter(values))
    all.push_back(make(value));
  return b.getArrayAttr(all);
}

static ArrayAttr makeByteStrings(Builder &b, nb::handle values) {
  return makeList(b, values, [&](nb::handle value) -> Attribute {
    auto bytes = nb::cast<nb::bytes>(value);
    return b.getStringAttr(StringRef(bytes.c_str(), bytes.size()));
  });
}

static Attribute makeSymbol(Builder &b, nb::handle name) {
  return FlatSymbolRefAttr::get(b.getContext(), getString(name));
}

/// Builds the attribute of "valid", "same" or ((top, bottom), (left, right)).
static Attribute makePadding(Builder &b, nb::handle value) {
  if (nb::isinstance<nb::str>(value)) {
    std::optional<nn::PaddingKind> kind =
        nn::symbolizePaddingKind(getString(value));
    if (!kind || *kind == nn::PaddingKind::explicit_)
      throw nb::value_error("expected padding 'valid' or 'same'");
    return nn::PaddingAttr::get(b.getContext(), *kind);
  }
  SmallVector<int64_t> amounts;
  for (nb::handle pair : nb::iter(value))
    amounts.append(getList<int64_t>(pair));
  std::string error;
  ScopedDiagnosticHandler handler(b.getContext(), [&](Diagnostic &diagnostic) {
    error = diagnostic.str();
  });
  auto padding = nn::PaddingAttr::getChecked(
      [&] { return mlir::emitError(b.getUnknownLoc()); }, b.getContext(),
      nn::PaddingKind::explicit_, ArrayRef<int64_t>(amounts));
  if (!padding)
    throw nb::value_error(error.c_str());
  return padding;
}

static const AttributeKind kinds[] = {
    {"i64", "an integer",
     [](Builder &b, nb::handle value) -> Attribute {
       return b.getI64IntegerAttr(nb::cast<int64_t>(value));
     }},
    {"i32", "an integer",
     [](Builder &b, nb::handle value) -> Attribute {
       return b.getI32IntegerAttr(nb::cast<int32_t>(value));
     }},
    {"index", "an integer",
     [](Builder &b, nb::handle value) -> Attribute {
       return b.getIndexAttr(nb::cast<int64_t>(value));
     }},
    {"boolean", "a bool",
     [](Builder &b, nb::handle value) -> Attribute {
       return b.getBoolAttr(nb::cast<bool>(value));
     }},
    {"f64", "a number",
     [](Builder &b, nb::handle value) -> Attribute {
       return b.getF64FloatAttr(nb::cast<double>(value));
     }},
    {"string", "a str",
     [](Builder &b, nb::handle value) -> Attribute {
       return b.getStringAttr(getString(value));
     }},
    {"strings", "a sequence of str",
     [](Builder &b, nb::handle value) -> Attribute {
       return makeList(b, value, [&](nb::handle item) -> Attribute {
         return b.getStringAttr(getString(item));
       });
     }},
    {"byte_strings", "a sequence of bytes",
     [](Builder &b, nb::handle value) -> Attribute {
       return makeByteStrings(b, value);
     }},
    {"initial_strings", "a sequence of bytes",
     [](Builder &b, nb::handle value) -> Attribute {
       return train::StringsAttr::get(b.getContext(),
                                      makeByteStrings(b, value));
     }},
    {"symbol", "a str", makeSymbol},
    {"symbols", "a sequence of str",
     [](Builder &b, nb::handle value) -> Attribute {
       return makeList(b, value,
                       [&](nb::handle item) { return makeSymbol(b, item); });
     }},
    {"i64s", "a sequence of integers",
     [](Builder &b, nb::handle value) -> Attribute {
       return b.getDenseI64ArrayAttr(getList<int64_t>(value));
     }},
    {"i32s", "a sequence of integers",
     [](Builder &b, nb::handle value) -> Attribute {
       return b.getDenseI32ArrayAttr(getList<int32_t>(value));
     }},
    {"groups", "sequences of integers",
     [](Builder &b, nb::handle value) -> Attribute {
       return makeList(b, value, [&](nb::handle item) -> Attribute {
         return b.getI64ArrayAttr(getList<int64_t>(item));
       });
     }},
    {"of_type", "a type",
     [](Builder &b, nb::handle value) -> Attribute {
       return TypeAttr::get(getType(b, value));
     }},
    {"padding", "padding", makePadding},
};
static const AttributeKind unitKind = {
    "unit", "nothing",
    [](Builder &b, nb::handle) -> Attribute { return b.getUnitAttr(); }};
static const AttributeKind elementsKind = {
    "elements", "an array and its type",
    [](Builder &b, nb::handle value) -> Attribute {
      return makeElements(b, value);
    }};
static const AttributeKind constantKind = {
    "constant", "an array and its type",
    [](Builder &b, nb::handle value) -> Attribute {
      return train::ConstantAttr::get(b.getContext(), makeElements(b, value));
    }};
static const AttributeKind structKind = {
    "struct", "a name and a dict", [](Builder &b, nb::handle value) {
      auto parts = nb::cast<nb::tuple>(value);
      return makeStruct(b.getContext(), getString(parts[0]),
                        nb::cast<nb::dict>(parts[1]));
    }};

NamedAttrList Graph::makeAttributes(nb::dict attributes) {
  NamedAttrList list;
  for (auto [name, given] : attributes) {
    if (!nb::isinstance<PyAttribute>(given))
      throw nb::type_error(("expected an Attribute as " + getString(name) +
                            ", found " + getString(nb::repr(given)))
                               .c_str());
    const auto &[kind, value] = nb::cast<PyAttribute &>(given);
    auto refuse = [&, name = name, expected = kind->expected, &value = value] {
      throw nb::type_error((std::string("expected ") + expected + " as " +
                            getString(name) + ", found " +
                            getString(nb::repr(value)))
                               .c_str());
    };
    try {
      list.set(getString(name), kind->make(builder, value));
    } catch (const std::bad_cast &) {
      refuse();
    } catch (nb::python_error &error) {
      // The value is not a sequence.
      if (!error.matches(PyExc_TypeError))
        throw;
      refuse();
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

void addAttributes(nb::module_ &module) {
  module.def("_check_struct", &checkStruct, "name"_a, "fields"_a,
             "Raises ValueError for fields that an attribute of the train "
             "dialect does not take.");
  nb::class_<PyAttribute> attribute(
      module, "Attribute",
      "An attribute of an op: a value of Python, and what the op that it is "
      "given to makes of it.");
  attribute.def_ro("value", &PyAttribute::value);
  for (const AttributeKind &kind : kinds)
    attribute.def_static(
        kind.name,
        [&kind](nb::object value) {
          return PyAttribute{&kind, std::move(value)};
        },
        "value"_a.none());
  attribute
      .def_static("unit", [] { return PyAttribute{&unitKind, nb::none()}; })
      .def_static(
          "elements",
          [](nb::object array, nb::object type) {
            return PyAttribute{&elementsKind, nb::make_tuple(array, type)};
          },
          "array"_a, "type"_a)
      .def_static(
          "constant",
          [](nb::object array, nb::object type) {
            return PyAttribute{&constantKind, nb::make_tuple(array, type)};
          },
          "array"_a, "type"_a)
      .def_static(
          "struct",
          [](nb::object name, nb::dict fields) {
            return PyAttribute{&structKind, nb::make_tuple(name, fields)};
          },
          "name"_a, "fields"_a);
}

} // namespace flywheel::python
