//===- Literals.cpp - Arrays of Python numbers ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Literals.h"

#include "flywheel/Session/Numbers.h"

#include <cmath>
#include <cstring>

namespace nb = nanobind;
using flywheel::runtime::DType;

namespace flywheel::python {

bool isLiteral(PyObject *value) {
  return PyFloat_Check(value) || PyLong_Check(value) || PyList_Check(value) ||
         PyTuple_Check(value) || PyArray_CheckScalar(value);
}

/// Stores a Python integer; false where `dtype` does not have it.
static bool storeInteger(PyObject *value, DType dtype, void *out) {
  if (!runtime::isFloatingPoint(dtype)) {
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0)
      return flywheel::storeInteger(dtype, int64_t(number), out);
    if (overflow < 0)
      return false;
    unsigned long long large = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred())
      return flywheel::storeInteger(dtype, uint64_t(large), out);
    PyErr_Clear();
    return false;
  }
  double number = PyLong_AsDouble(value);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  if (!storeNumber(dtype, number, out))
    return false;
  // Python compares floats with integers exactly.
  nb::object stored = nb::steal(PyFloat_FromDouble(loadNumber(dtype, out)));
  return stored.ptr() &&
         PyObject_RichCompareBool(stored.ptr(), value, Py_EQ) == 1;
}

static bool storeFloat(double value, DType dtype, bool mayRound, void *out) {
  if (dtype == DType::Bool || !storeNumber(dtype, value, out))
    return false;
  return mayRound || !runtime::isFloatingPoint(dtype) || std::isnan(value) ||
         loadNumber(dtype, out) == value;
}

/// Stores a NumPy scalar; false where `dtype` does not have its value.
static bool storeScalar(PyObject *value, DType dtype, void *out) {
  nb::object array = nb::steal(PyArray_FromScalar(value, nullptr));
  if (!array.ptr())
    return false;
  auto *typed = reinterpret_cast<PyArrayObject *>(array.ptr());
  if (getArrayDType(typed, dtype) == dtype && isDense(typed)) {
    std::memcpy(out, PyArray_DATA(typed), runtime::dtypeSize(dtype));
    return true;
  }
  if (PyArray_ISINTEGER(typed)) {
    nb::object number = nb::steal(PyNumber_Index(value));
    return number.ptr() && dtype != DType::Bool &&
           storeInteger(number.ptr(), dtype, out);
  }
  bool isFloat = PyArray_ISFLOAT(typed) ||
                 getArrayDType(typed, DType::BF16) == DType::BF16;
  if (!isFloat)
    return false;
  nb::object number = nb::steal(PyNumber_Float(value));
  return number.ptr() && storeFloat(PyFloat_AS_DOUBLE(number.ptr()), dtype,
                                    /*mayRound=*/false, out);
}

/// Stores one number; false, without a Python error, where `dtype` does not
/// have it.
static bool storeElement(PyObject *value, DType dtype, void *out) {
  if (PyBool_Check(value)) {
    if (dtype != DType::Bool)
      return false;
    *static_cast<uint8_t *>(out) = value == Py_True;
    return true;
  }
  if (PyArray_CheckScalar(value)) {
    bool isStored = storeScalar(value, dtype, out);
    PyErr_Clear();
    return isStored;
  }
  if (PyLong_Check(value))
    return dtype != DType::Bool && storeInteger(value, dtype, out);
  return PyFloat_Check(value) &&
         storeFloat(PyFloat_AS_DOUBLE(value), dtype, /*mayRound=*/true, out);
}

static void raiseElementError(PyObject *value, DType dtype,
                              const std::string &what) {
  PyErr_Format(PyExc_TypeError, "Expected %s: %s cannot hold %.200R of type %s",
               std::string(runtime::numpyName(dtype)).c_str(), what.c_str(),
               value, Py_TYPE(value)->tp_name);
}

PyObject *makeLiteralArray(PyObject *value, DType dtype,
                           const std::string &what) {
  // An array of Python objects: numpy finds the shape, and converts nothing.
  nb::object objects =
      nb::steal(PyArray_FROM_OTF(value, NPY_OBJECT, NPY_ARRAY_CARRAY_RO));
  if (!objects.ptr()) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError,
                 "Expected %s: %s takes lists of equal lengths",
                 std::string(runtime::numpyName(dtype)).c_str(), what.c_str());
    return nullptr;
  }
  auto *source = reinterpret_cast<PyArrayObject *>(objects.ptr());
  nb::object result = nb::steal(makeArray(dtype, getShape(source)));
  if (!result.ptr())
    return nullptr;
  auto *elements = static_cast<PyObject **>(PyArray_DATA(source));
  auto *out = static_cast<char *>(
      PyArray_DATA(reinterpret_cast<PyArrayObject *>(result.ptr())));
  size_t size = runtime::dtypeSize(dtype);
  for (npy_intp i = 0, e = PyArray_SIZE(source); i < e; ++i) {
    PyObject *element = elements[i] ? elements[i] : Py_None;
    if (PyList_Check(element) || PyTuple_Check(element)) {
      PyErr_Format(
          PyExc_TypeError, "Expected %s: %s takes lists of equal lengths",
          std::string(runtime::numpyName(dtype)).c_str(), what.c_str());
      return nullptr;
    }
    if (!storeElement(element, dtype, out + static_cast<size_t>(i) * size)) {
      raiseElementError(element, dtype, what);
      return nullptr;
    }
  }
  return result.release().ptr();
}

} // namespace flywheel::python
