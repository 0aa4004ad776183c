//===- NumPy.h - The numpy C API, one table for all files -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays.cpp imports the table; every other file only refers to it.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_NUMPY_H
#define FLYWHEEL_PYTHON_NUMPY_H

#include <nanobind/nanobind.h>

#define NPY_NO_DEPRECATED_API NPY_1_20_API_VERSION
#define NPY_TARGET_VERSION NPY_1_20_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL flywheel_numpy_api
#ifndef FLYWHEEL_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#endif // FLYWHEEL_PYTHON_NUMPY_H
