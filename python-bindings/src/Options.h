//===- Options.h - Options of compilations in Python ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_OPTIONS_H
#define FLYWHEEL_PYTHON_OPTIONS_H

#include "flywheel/Driver/CompilerOptions.h"

#include <nanobind/nanobind.h>

namespace flywheel::python {

/// Returns the options that \p given has, by their names in the table; threads
/// are by default those of the environment. Throws TypeError for an unknown
/// name, ValueError for a value that is out of range.
CompilerOptions readOptions(const nanobind::dict &given);

/// Defines `_options` and `_MAX_DIM_SIZE_BOUND`.
void addOptions(nanobind::module_ &module);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_OPTIONS_H
