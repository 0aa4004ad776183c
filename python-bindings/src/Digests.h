//===- Digests.h - Numbers that stand for the elements of arrays -- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_DIGESTS_H
#define FLYWHEEL_PYTHON_DIGESTS_H

#include "NumPy.h"

#include <cstdint>

namespace flywheel::python {

/// Returns a number that is another one after an element of an array has
/// changed in place, but for one in 2^64 changes. It is that of the bytes in
/// the order of the strides, which no copy is made for.
uint64_t getDigest(PyArrayObject *array);

/// Adds `_digest_of(array)`.
void addDigests(nanobind::module_ &module);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_DIGESTS_H
