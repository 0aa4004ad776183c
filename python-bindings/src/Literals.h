//===- Literals.h - Arrays of Python numbers --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number, a NumPy scalar or nested lists (or tuples) of them become an array
// of the dtype that is wanted, by one rule for feeds and variables:
//
//   an integer      where the dtype has exactly that number
//   a Python float  rounded to a floating-point type, but not to an infinity;
//                   an integer type takes 2.0 and not 2.5
//   a NumPy scalar  of another dtype likewise, but never rounded
//   a truth value   as bool only, and bool takes nothing else
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_LITERALS_H
#define FLYWHEEL_PYTHON_LITERALS_H

#include "Arrays.h"

#include <string>

namespace flywheel::python {

/// Returns true if `value` is a number, a NumPy scalar, a list or a tuple.
bool isLiteral(PyObject *value);

/// Returns a new dense array of `dtype` with the numbers of a literal. Null
/// with a TypeError that names `what`, the destination, for a value that the
/// rule above does not take, and for lists of different lengths.
PyObject *makeLiteralArray(PyObject *value, runtime::DType dtype,
                           const std::string &what);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_LITERALS_H
