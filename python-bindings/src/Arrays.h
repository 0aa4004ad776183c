//===- Arrays.h - Between numpy arrays and array views ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_ARRAYS_H
#define FLYWHEEL_PYTHON_ARRAYS_H

#include "NumPy.h"

#include "flywheel/Runtime/Status.h"
#include "flywheel/Session/ArrayView.h"

#include <optional>
#include <string>

namespace flywheel::python {

/// Imports numpy, and ml_dtypes for bfloat16 where it is installed. Throws
/// nanobind::python_error.
void importNumPy();

/// Returns the numpy type number of arrays of `dtype`: for bf16 that of
/// ml_dtypes, or uint16 (the bits) without it.
int getTypeNumber(runtime::DType dtype);

/// Returns the dtype to take an array for if `expected` is wanted; nothing for
/// element types that variables cannot have.
std::optional<runtime::DType> getArrayDType(PyArrayObject *array,
                                            runtime::DType expected);

/// `float32`.
std::string getDTypeText(PyArrayObject *array);

/// `dtype` as a numpy.dtype, a new reference.
PyObject *makeDType(runtime::DType dtype);

/// Returns a new array of unset elements, or null with a Python error.
PyObject *makeArray(runtime::DType dtype, llvm::ArrayRef<int64_t> shape);

/// Returns true if the elements are laid out as steps read them: C-contiguous,
/// aligned, in the byte order of this machine.
inline bool isDense(PyArrayObject *array) {
  return PyArray_CHKFLAGS(array, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED) &&
         PyArray_ISNOTSWAPPED(array);
}

/// Returns true for a numpy.matrix, whose products are those of matrices.
bool isMatrix(PyArrayObject *array);

/// Returns the dimension sizes of an array.
inline llvm::ArrayRef<int64_t> getShape(PyArrayObject *array) {
  static_assert(sizeof(npy_intp) == sizeof(int64_t), "64-bit machines only");
  return {reinterpret_cast<const int64_t *>(PyArray_DIMS(array)),
          static_cast<size_t>(PyArray_NDIM(array))};
}

/// Returns the elements of `array`, of the element type `dtype`, as a dense
/// array in which a boolean is 0 or 1: a new reference to it, or to a copy.
/// Null with a Python error for a masked array; `what` names the destination in
/// it.
PyObject *makeDense(PyArrayObject *array, runtime::DType dtype,
                    const std::string &what);

/// Returns a dense array with the elements of `value`, a numpy array of `dtype`
/// or a value that makeLiteralArray() takes. Null with a Python error for
/// anything else; `what` names the destination in it.
PyObject *makeDenseCopy(PyObject *value, runtime::DType dtype,
                        const std::string &what);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_ARRAYS_H
