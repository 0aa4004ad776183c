//===- GraphBindings.cpp - Building modules in Python ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Errors.h"
#include "Graph.h"

#include "flywheel/Dialect/Train/Train.h"

#include "mlir/IR/BuiltinTypes.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace mlir;

namespace flywheel::python {

namespace {
/// The Python object of a graph, of which handles share the ownership.
struct PyGraph {
  std::shared_ptr<Graph> graph;
};
} // namespace

/// A method of a graph, as one of what Python holds.
template <typename Result, typename... Args>
static auto forward(Result (Graph::*method)(Args...)) {
  return [method](PyGraph &self, Args... args) -> Result {
    return (self.graph.get()->*method)(std::forward<Args>(args)...);
  };
}

/// Returns the element type of a dtype by NumPy's name, or `string`, or null.
static Type getElementType(Builder &b, llvm::StringRef name) {
  if (name == "float32")
    return b.getF32Type();
  if (name == "float64")
    return b.getF64Type();
  if (name == "float16")
    return b.getF16Type();
  if (name == "bfloat16")
    return b.getBF16Type();
  if (name == "bool")
    return b.getI1Type();
  if (name == "index")
    return b.getIndexType();
  if (name == "string")
    return train::StringType::get(b.getContext());
  bool isUnsigned = name.consume_front("u");
  unsigned width;
  if (!name.consume_front("int") || name.getAsInteger(10, width) || width > 64)
    return {};
  return isUnsigned ? b.getIntegerType(width, /*isSigned=*/false)
                    : b.getIntegerType(width);
}

/// Returns NumPy's name of an element type; empty for a type that no array has.
static std::string getDTypeText(Type element) {
  if (element.isIndex())
    return "index";
  if (isa<train::StringType>(element))
    return "string";
  std::optional<runtime::DType> dtype = getDType(element);
  return dtype ? std::string(runtime::numpyName(*dtype)) : "";
}

static PyType makeType(Graph &self, const std::string &dtype,
                       nb::handle shape) {
  self.getContext()->getOrLoadDialect<train::TrainDialect>();
  Type element = getElementType(self.getBuilder(), dtype);
  if (!element)
    throw nb::type_error(("no tensor has the dtype '" + dtype + "'").c_str());
  if (shape.is_none())
    return self.wrapType(element);
  SmallVector<int64_t> dimSizes;
  for (nb::handle dimSize : nb::iter(shape)) {
    int64_t number = ShapedType::kDynamic;
    if (!dimSize.is_none() && (!nb::try_cast(dimSize, number) || number < 0))
      throw nb::value_error(
          ("expected dimension sizes of at least 0, or None, found " +
           nb::cast<std::string>(nb::str(shape)))
              .c_str());
    dimSizes.push_back(number);
  }
  return self.wrapType(RankedTensorType::get(dimSizes, element));
}

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

/// Returns a dimension size for each dimension, None if it is not static; None
/// for a type that is not a tensor.
static nb::object getShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return nb::none();
  nb::list shape;
  for (int64_t dimSize : tensor.getShape()) {
    if (ShapedType::isDynamic(dimSize))
      shape.append(nb::none());
    else
      shape.append(dimSize);
  }
  return nb::tuple(shape);
}

static void addHandles(nb::module_ &module) {
  nb::class_<PyType>(module, "Type", "The type of a value of a graph.")
      .def_prop_ro("dtype",
                   [](const PyType &self) {
                     return getDTypeText(getElementTypeOrSelf(self.type));
                   })
      .def_prop_ro("shape",
                   [](const PyType &self) { return getShape(self.type); })
      .def("__eq__",
           [](const PyType &self, const PyType &other) {
             return self.type == other.type;
           })
      .def("__str__", [](const PyType &self) { return print(self.type); });
  nb::class_<PyValue>(module, "Value", "A value of a graph.")
      .def_prop_ro("type",
                   [](const PyValue &self) {
                     return self.graph->wrapType(
                         self.graph->get(self).getType());
                   })
      .def_prop_ro("dtype",
                   [](const PyValue &self) {
                     return getDTypeText(
                         getElementTypeOrSelf(self.graph->get(self)));
                   })
      .def_prop_ro("shape",
                   [](const PyValue &self) {
                     return getShape(self.graph->get(self).getType());
                   })
      .def_prop_ro(
          "is_live",
          [](const PyValue &self) { return self.graph->isLive(self.scope); },
          "Whether the function or region that it is in is still being "
          "traced.");
  nb::class_<PyRegion>(module, "Region",
                       "A finished region, which one op takes.");
}

void addGraph(nb::module_ &module) {
  addHandles(module);
  nb::class_<PyGraph>(
      module, "Graph",
      "A module in the making. Ops are verified as they are made: a mistake is "
      "a CompileError\nthere.")
      .def(
          "__init__",
          [](PyGraph *self, const std::string &name,
             const std::string &package) {
            new (self) PyGraph{std::make_shared<Graph>(name, package)};
          },
          "name"_a, "package"_a)
      .def(
          "type",
          [](PyGraph &self, const std::string &dtype, nb::handle shape) {
            return makeType(*self.graph, dtype, shape);
          },
          "dtype"_a, "shape"_a.none(),
          "A tensor type by NumPy's name of the dtype; None is a dimension "
          "that is not static.\nWithout a shape, a number.")
      .def("begin_function", forward(&Graph::beginFunction), "name"_a,
           "types"_a, "attributes"_a, "argument_attributes"_a)
      .def("annotate_function", forward(&Graph::annotateFunction),
           "attributes"_a)
      .def("end_function", forward(&Graph::endFunction), "results"_a,
           "result_attributes"_a)
      .def("abandon_function", forward(&Graph::abandonFunction))
      .def("begin_region", forward(&Graph::beginRegion), "types"_a)
      .def("end_region", forward(&Graph::endRegion), "terminator"_a,
           "results"_a)
      .def("empty_region", forward(&Graph::makeEmptyRegion))
      .def("abandon_region", forward(&Graph::abandonRegion))
      .def("op", forward(&Graph::createOp), "name"_a, "operands"_a,
           "results"_a.none(), "attributes"_a, "regions"_a,
           "top_level"_a = false)
      .def("constant", forward(&Graph::createConstant), "array"_a, "type"_a)
      .def("depends", forward(&Graph::findDependencies), "ys"_a, "xs"_a,
           "through_steps"_a = false)
      .def(
          "difference",
          [](PyGraph &self, const PyValue &a, const PyValue &b) {
            return self.graph->findDifference(a, b);
          },
          "a"_a, "b"_a,
          "How much larger one number of type index is than another; None "
          "where that is not known.")
      .def("batch", forward(&Graph::batchRegion), "region"_a, "inputs"_a,
           "is_batched"_a, "dim_size"_a)
      .def("isolate", forward(&Graph::isolateRegion), "region"_a)
      .def("set_place", forward(&Graph::setPlace), "name"_a, "number"_a,
           "Gives the ops that are created from now on line `number` of `name` "
           "as their place;\nwith an empty name, the line of the user's code.")
      .def("finish", forward(&Graph::finish));
}

} // namespace flywheel::python
