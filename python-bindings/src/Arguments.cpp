//===- Arguments.cpp - Paths, names and numbers of Python -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "llvm/Support/ErrorHandling.h"

namespace nb = nanobind;

namespace flywheel::python {

std::string getPath(nb::handle path) {
  PyObject *bytes = nullptr;
  if (!PyUnicode_FSConverter(path.ptr(), &bytes))
    throw nb::python_error();
  nb::object owner = nb::steal(bytes);
  return {PyBytes_AS_STRING(bytes),
          static_cast<size_t>(PyBytes_GET_SIZE(bytes))};
}

nb::object makePath(const std::string &path) {
  PyObject *text = PyUnicode_DecodeFSDefaultAndSize(
      path.data(), static_cast<Py_ssize_t>(path.size()));
  if (!text)
    throw nb::python_error();
  return nb::steal(text);
}

std::string getText(nb::handle text, const char *what) {
  if (!PyUnicode_Check(text.ptr())) {
    PyErr_Format(PyExc_TypeError, "expected a str as %s, found %s", what,
                 Py_TYPE(text.ptr())->tp_name);
    throw nb::python_error();
  }
  Py_ssize_t size = 0;
  const char *data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!data)
    throw nb::python_error();
  return {data, static_cast<size_t>(size)};
}

int64_t getInteger(nb::handle value) {
  if (!PyIndex_Check(value.ptr())) {
    PyErr_Format(PyExc_TypeError, "expected an integer, found %s",
                 Py_TYPE(value.ptr())->tp_name);
    throw nb::python_error();
  }
  nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.ptr())
    throw nb::python_error();
  long long number = PyLong_AsLongLong(index.ptr());
  if (number == -1 && PyErr_Occurred())
    throw nb::python_error();
  return number;
}

uint64_t getSeed(nb::handle value) {
  if (!PyIndex_Check(value.ptr())) {
    PyErr_Format(PyExc_TypeError, "expected an integer as seed, found %s",
                 Py_TYPE(value.ptr())->tp_name);
    throw nb::python_error();
  }
  nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.ptr())
    throw nb::python_error();
  unsigned long long seed = PyLong_AsUnsignedLongLong(index.ptr());
  if (seed != static_cast<unsigned long long>(-1) || !PyErr_Occurred())
    return seed;
  PyErr_Clear();
  std::string text = nb::cast<std::string>(nb::str(index));
  throw nb::value_error(
      ("expected a seed from 0 to 2^64 - 1, found " + text).c_str());
}

void refuseToMake(nb::handle made, nb::args args, nb::kwargs keywords) {
  nb::module_::import_("flywheel._native")
      .attr("_refuse_to_make")(made, args, keywords);
  llvm_unreachable("_refuse_to_make raises");
}

} // namespace flywheel::python
