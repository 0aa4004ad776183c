//===- Strings.cpp - Between Python strings and array views ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strings.h"

#include "llvm/ADT/STLExtras.h"

namespace nb = nanobind;

namespace flywheel::python {

bool mayHoldStrings(PyObject *value) {
  if (!PyArray_Check(value))
    return true;
  int number = PyArray_TYPE(reinterpret_cast<PyArrayObject *>(value));
  return number == NPY_OBJECT || number == NPY_STRING || number == NPY_UNICODE;
}

std::vector<std::string> copyStrings(const ArrayView &view) {
  size_t count = 1;
  for (int64_t dimSize : view.shape)
    count *= static_cast<size_t>(dimSize);
  const auto *views = static_cast<const std::string_view *>(view.data);
  return {views, views + count};
}

/// Appends the bytes of one str or bytes.
static bool appendText(PyObject *value, const std::string &what,
                       Strings &strings) {
  nb::object encoded;
  if (PyUnicode_Check(value)) {
    encoded =
        nb::steal(PyUnicode_AsEncodedString(value, "utf-8", "surrogateescape"));
    if (!encoded.ptr())
      return false;
    value = encoded.ptr();
  }
  if (!PyBytes_Check(value)) {
    PyErr_Format(
        PyExc_TypeError,
        "%s takes a str, bytes, or a list or a numpy array of them; found %s",
        what.c_str(), Py_TYPE(value)->tp_name);
    return false;
  }
  strings.texts.emplace_back(PyBytes_AS_STRING(value),
                             static_cast<size_t>(PyBytes_GET_SIZE(value)));
  return true;
}

bool readStrings(PyObject *value, const std::string &what, Strings &strings) {
  nb::object array;
  if (PyList_Check(value) || PyTuple_Check(value)) {
    array = nb::steal(PyArray_FROM_OTF(value, NPY_OBJECT, NPY_ARRAY_CARRAY_RO));
    if (!array.ptr())
      return false;
    value = array.ptr();
  }
  if (PyArray_Check(value)) {
    auto *array = reinterpret_cast<PyArrayObject *>(value);
    llvm::append_range(strings.shape, getShape(array));
    nb::object flat = nb::steal(PyArray_Ravel(array, NPY_CORDER));
    if (!flat.ptr())
      return false;
    nb::object list = nb::steal(
        PyArray_ToList(reinterpret_cast<PyArrayObject *>(flat.ptr())));
    if (!list.ptr())
      return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.ptr()); ++i)
      if (!appendText(PyList_GET_ITEM(list.ptr(), i), what, strings))
        return false;
  } else if (!appendText(value, what, strings)) {
    return false;
  }
  strings.views.assign(strings.texts.begin(), strings.texts.end());
  return true;
}

bool fillStrings(PyArrayObject *array, const std::vector<std::string> &texts) {
  auto **elements = static_cast<PyObject **>(PyArray_DATA(array));
  for (const std::string &text : texts) {
    PyObject *decoded = PyUnicode_DecodeUTF8(
        text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
    if (!decoded)
      return false;
    PyObject *old = *elements;
    *elements++ = decoded;
    Py_XDECREF(old);
  }
  return true;
}

} // namespace flywheel::python
