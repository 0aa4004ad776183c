//===- Strings.h - Between Python strings and array views -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_STRINGS_H
#define FLYWHEEL_PYTHON_STRINGS_H

#include "Arrays.h"

#include "llvm/ADT/SmallVector.h"

#include <string>
#include <string_view>
#include <vector>

namespace flywheel::python {

/// An array of strings that C++ owns.
struct Strings {
  std::vector<std::string> texts;
  /// The views of `texts`, for array views.
  std::vector<std::string_view> views;
  llvm::SmallVector<int64_t> shape;

  ArrayView view() const {
    return {runtime::DType::String, shape, views.data()};
  }
};

/// False for a numpy array of a dtype without strings: another than objects,
/// `S` and `U`.
bool mayHoldStrings(PyObject *value);

/// Copies of the strings of an array view.
std::vector<std::string> copyStrings(const ArrayView &view);

/// Copies a str or bytes (a scalar), or nested lists or a numpy array of them.
/// A str becomes its UTF-8 bytes, with those that `surrogateescape` stands for.
/// False with a TypeError for anything else; `what` names the destination in
/// it.
bool readStrings(PyObject *value, const std::string &what, Strings &strings);

/// Fills a dense array of objects with strs, decoded from UTF-8 with
/// `surrogateescape`, which loses nothing. False with a Python error.
bool fillStrings(PyArrayObject *array, const std::vector<std::string> &texts);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_STRINGS_H
