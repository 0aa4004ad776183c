//===- Arrays.cpp - Between numpy arrays and array views ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define FLYWHEEL_IMPORTS_NUMPY
#include "Arrays.h"

#include "Errors.h"
#include "Literals.h"

namespace nb = nanobind;
using flywheel::runtime::DType;

namespace flywheel::python {

/// NumPy's number of ml_dtypes.bfloat16, or of uint16.
static int bfloat16TypeNumber = NPY_UINT16;

static int importArrayTable() {
  import_array1(-1);
  return 0;
}

void importNumPy() {
  if (importArrayTable() < 0)
    throw nb::python_error();
  try {
    nb::object numpy = nb::module_::import_("numpy");
    nb::object type = nb::module_::import_("ml_dtypes").attr("bfloat16");
    nb::object descr = numpy.attr("dtype")(type);
    bfloat16TypeNumber =
        reinterpret_cast<PyArray_Descr *>(descr.ptr())->type_num;
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_ImportError))
      throw;
  }
}

int getTypeNumber(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return NPY_BOOL;
  case DType::I8:
    return NPY_INT8;
  case DType::I16:
    return NPY_INT16;
  case DType::I32:
    return NPY_INT32;
  case DType::I64:
    return NPY_INT64;
  case DType::U8:
    return NPY_UINT8;
  case DType::U16:
    return NPY_UINT16;
  case DType::U32:
    return NPY_UINT32;
  case DType::U64:
    return NPY_UINT64;
  case DType::F16:
    return NPY_FLOAT16;
  case DType::BF16:
    return bfloat16TypeNumber;
  case DType::F32:
    return NPY_FLOAT32;
  case DType::F64:
    return NPY_FLOAT64;
  case DType::String:
    return NPY_OBJECT;
  }
  return NPY_NOTYPE;
}

/// Returns an integer type of `bytes` bytes: C has more integer types than
/// widths.
static std::optional<DType> getIntegerDType(bool isSigned, size_t bytes) {
  switch (bytes) {
  case 1:
    return isSigned ? DType::I8 : DType::U8;
  case 2:
    return isSigned ? DType::I16 : DType::U16;
  case 4:
    return isSigned ? DType::I32 : DType::U32;
  case 8:
    return isSigned ? DType::I64 : DType::U64;
  }
  return {};
}

std::optional<DType> getArrayDType(PyArrayObject *array, DType expected) {
  int number = PyArray_TYPE(array);
  if (number == getTypeNumber(expected))
    return expected;
  if (number == bfloat16TypeNumber && number != NPY_UINT16)
    return DType::BF16;
  switch (number) {
  case NPY_BOOL:
    return DType::Bool;
  case NPY_FLOAT16:
    return DType::F16;
  case NPY_FLOAT32:
    return DType::F32;
  case NPY_FLOAT64:
    return DType::F64;
  }
  if (PyTypeNum_ISINTEGER(number))
    return getIntegerDType(PyTypeNum_ISSIGNED(number),
                           static_cast<size_t>(PyArray_ITEMSIZE(array)));
  return {};
}

std::string getDTypeText(PyArrayObject *array) {
  nb::object text =
      nb::str(nb::handle(reinterpret_cast<PyObject *>(PyArray_DESCR(array))));
  return nb::cast<nb::str>(text).c_str();
}

PyObject *makeDType(DType dtype) {
  return reinterpret_cast<PyObject *>(
      PyArray_DescrFromType(getTypeNumber(dtype)));
}

PyObject *makeArray(DType dtype, llvm::ArrayRef<int64_t> shape) {
  auto *dims =
      const_cast<npy_intp *>(reinterpret_cast<const npy_intp *>(shape.data()));
  return PyArray_SimpleNew(static_cast<int>(shape.size()), dims,
                           getTypeNumber(dtype));
}

/// Returns true if some byte of a dense array of booleans is neither 0 nor 1,
/// as in views of other arrays. NumPy takes those as true; steps read the last
/// bit.
static bool hasOddBooleans(PyArrayObject *array) {
  auto *bytes = static_cast<const uint8_t *>(PyArray_DATA(array));
  uint8_t bits = 0;
  for (npy_intp i = 0, e = PyArray_SIZE(array); i < e; ++i)
    bits |= bytes[i];
  return bits > 1;
}

/// Returns true if an array is an object of a class of a module of NumPy.
static bool isA(PyArrayObject *array, const char *module, const char *name) {
  if (PyArray_CheckExact(array))
    return false;
  // No array is masked before the module is loaded.
  PyObject *loaded = PyDict_GetItemString(PyImport_GetModuleDict(), module);
  if (!loaded)
    return false;
  nb::object type = nb::getattr(nb::handle(loaded), name, nb::none());
  return PyType_Check(type.ptr()) &&
         PyObject_IsInstance(reinterpret_cast<PyObject *>(array), type.ptr()) ==
             1;
}

bool isMatrix(PyArrayObject *array) { return isA(array, "numpy", "matrix"); }

PyObject *makeDense(PyArrayObject *array, DType dtype,
                    const std::string &what) {
  if (isA(array, "numpy.ma", "MaskedArray")) {
    PyErr_Format(PyExc_TypeError,
                 "%s takes no masked array, whose mask would be lost: use "
                 "value.filled(number), or value.data for the elements without "
                 "the mask",
                 what.c_str());
    return nullptr;
  }
  bool isOdd = dtype == DType::Bool && isDense(array) && hasOddBooleans(array);
  if (isDense(array) && !isOdd) {
    Py_INCREF(array);
    return reinterpret_cast<PyObject *>(array);
  }
  PyObject *copy =
      PyArray_FromArray(array, PyArray_DescrFromType(PyArray_TYPE(array)),
                        NPY_ARRAY_CARRAY | NPY_ARRAY_ENSURECOPY);
  if (!copy || dtype != DType::Bool)
    return copy;
  auto *typed = reinterpret_cast<PyArrayObject *>(copy);
  auto *bytes = static_cast<uint8_t *>(PyArray_DATA(typed));
  for (npy_intp i = 0, e = PyArray_SIZE(typed); i < e; ++i)
    bytes[i] = bytes[i] != 0;
  return copy;
}

PyObject *makeDenseCopy(PyObject *value, DType dtype, const std::string &what) {
  if (PyArray_Check(value)) {
    auto *array = reinterpret_cast<PyArrayObject *>(value);
    if (getArrayDType(array, dtype) != dtype) {
      raise(ErrorKind::InvalidArgument,
            "cannot assign a value of dtype " + getDTypeText(array) + " to " +
                what + " of dtype " + std::string(runtime::numpyName(dtype)));
      return nullptr;
    }
    return makeDense(array, dtype, what);
  }
  if (isLiteral(value))
    return makeLiteralArray(value, dtype, what);
  PyErr_Format(PyExc_TypeError,
               "Expected %s: %s takes a numpy array of that dtype, or Python "
               "numbers; found %s",
               std::string(runtime::numpyName(dtype)).c_str(), what.c_str(),
               Py_TYPE(value)->tp_name);
  return nullptr;
}

} // namespace flywheel::python
