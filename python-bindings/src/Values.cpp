//===- Values.cpp - Values of variables as NumPy arrays -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"
#include "Arguments.h"
#include "Arrays.h"
#include "Errors.h"
#include "Strings.h"

#include <cstring>

namespace nb = nanobind;
using flywheel::runtime::DType;
using flywheel::runtime::Result;
using flywheel::runtime::Status;

namespace flywheel::python {

nb::object copyValue(ObjectMutex &mutex,
                     llvm::function_ref<Result<ArrayView>()> get) {
  DType dtype;
  runtime::Shape shape;
  std::vector<std::string> texts;
  check(runAlone(mutex, [&] {
    Result<ArrayView> view = get();
    if (!view.isOk())
      return view.status();
    dtype = view->dtype;
    shape = view->shape.vec();
    if (dtype == DType::String)
      texts = copyStrings(*view);
    return Status();
  }));
  nb::object array = nb::steal(makeArray(dtype, shape));
  if (!array.ptr())
    throw nb::python_error();
  auto *typed = reinterpret_cast<PyArrayObject *>(array.ptr());
  if (dtype == DType::String) {
    if (!fillStrings(typed, texts))
      throw nb::python_error();
    return array;
  }
  // Another thread may have had its turn; the shape of a variable stays.
  check(runAlone(mutex, [&] {
    Result<ArrayView> view = get();
    if (view.isOk() && PyArray_NBYTES(typed))
      std::memcpy(PyArray_DATA(typed), view->data, PyArray_NBYTES(typed));
    return view.status();
  }));
  return array;
}

void setValue(ObjectMutex &mutex, const std::string &variable, DType dtype,
              nb::handle value,
              llvm::function_ref<Status(const ArrayView &)> set) {
  std::string what = "variable '" + variable + "'";
  if (dtype == DType::String && mayHoldStrings(value.ptr())) {
    Strings strings;
    if (!readStrings(value.ptr(), what, strings))
      throw nb::python_error();
    check(runAlone(mutex, [&] { return set(strings.view()); }));
    return;
  }
  nb::object array = nb::steal(makeDenseCopy(value.ptr(), dtype, what));
  if (!array.ptr())
    throw nb::python_error();
  auto *typed = reinterpret_cast<PyArrayObject *>(array.ptr());
  ArrayView view{dtype, getShape(typed), PyArray_DATA(typed)};
  check(runAlone(mutex, [&] { return set(view); }));
}

} // namespace flywheel::python
