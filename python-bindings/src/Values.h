//===- Values.h - Values of variables as NumPy arrays -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_VALUES_H
#define FLYWHEEL_PYTHON_VALUES_H

#include "ObjectMutex.h"

#include "flywheel/Session/Session.h"

#include <nanobind/nanobind.h>

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace flywheel::python {

/// Returns an array with a copy of the value that `get` finds, which is called
/// alone under `mutex`. Throws its error.
nanobind::object
copyValue(ObjectMutex &mutex,
          llvm::function_ref<runtime::Result<ArrayView>()> get);

/// Passes what `value` has as elements of `dtype` to `set`, which is called
/// alone in what `mutex` guards. `variable` is a name for errors. Throws
/// TypeError for what has no such elements, and the error of `set`.
void setValue(ObjectMutex &mutex, const std::string &variable,
              runtime::DType dtype, nanobind::handle value,
              llvm::function_ref<runtime::Status(const ArrayView &)> set);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_VALUES_H
