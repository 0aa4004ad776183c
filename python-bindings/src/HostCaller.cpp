//===- HostCaller.cpp - Functions of Python that a step calls -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCaller.h"

#include "Arrays.h"

namespace nb = nanobind;
using flywheel::runtime::HostArray;

namespace flywheel::python {

/// `array` as an array of numpy that has its memory.
static nb::object viewOf(const HostArray &array) {
  auto *sizes =
      const_cast<npy_intp *>(reinterpret_cast<const npy_intp *>(array.sizes));
  auto *strides =
      const_cast<npy_intp *>(reinterpret_cast<const npy_intp *>(array.strides));
  PyObject *view =
      PyArray_New(&PyArray_Type, static_cast<int>(array.rank), sizes,
                  getTypeNumber(array.dtype), strides, array.data,
                  /*itemsize=*/0, NPY_ARRAY_WRITEABLE, /*obj=*/nullptr);
  if (!view)
    throw nb::python_error();
  return nb::steal(view);
}

static PyArrayObject *asArray(nb::handle object) {
  return reinterpret_cast<PyArrayObject *>(object.ptr());
}

static void copyResult(nb::handle result, const HostArray &output) {
  nb::object view = viewOf(output);
  if (!PyArray_Check(result.ptr()) ||
      PyArray_TYPE(asArray(result)) != getTypeNumber(output.dtype) ||
      !PyArray_SAMESHAPE(asArray(result), asArray(view)))
    throw nb::type_error("a function that a step calls returns arrays of the "
                         "dtypes and shapes of its results");
  if (PyArray_CopyInto(asArray(view), asArray(result)) != 0)
    throw nb::python_error();
}

bool HostCaller::callWithGIL(int64_t site, const std::vector<HostArray> &inputs,
                             const std::vector<HostArray> &outputs) {
  try {
    // Copies: the next step must not write arrays that the function keeps.
    nb::list arrays;
    for (const HostArray &input : inputs) {
      nb::object view = viewOf(input);
      PyObject *copy = PyArray_NewCopy(asArray(view), NPY_CORDER);
      if (!copy)
        throw nb::python_error();
      arrays.append(nb::steal(copy));
    }
    nb::sequence results =
        nb::cast<nb::sequence>(nb::handle(function)(site, arrays));
    if (nb::len(results) != outputs.size())
      throw nb::type_error("a function that a step calls returns an array for "
                           "each of its results");
    for (size_t i = 0; i < outputs.size(); ++i)
      copyResult(results[i], outputs[i]);
    return true;
  } catch (nb::python_error &raised) {
    error = nb::borrow(raised.value()).release().ptr();
  } catch (std::exception &raised) {
    PyErr_SetString(PyExc_TypeError, raised.what());
    nb::python_error own;
    error = nb::borrow(own.value()).release().ptr();
  }
  return false;
}

bool HostCaller::call(int64_t site, const std::vector<HostArray> &inputs,
                      const std::vector<HostArray> &outputs) {
  takeGIL();
  mutex.setRunsUserCode(std::this_thread::get_id());
  bool isCalled = callWithGIL(site, inputs, outputs);
  mutex.setRunsUserCode({});
  giveUpGIL();
  return isCalled;
}

bool HostCaller::restoreError() {
  if (!error)
    return false;
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error)), error);
  return true;
}

} // namespace flywheel::python
