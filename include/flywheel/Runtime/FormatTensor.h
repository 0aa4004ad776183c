//===- FormatTensor.h - Tensors as text -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_FORMATTENSOR_H
#define FLYWHEEL_RUNTIME_FORMATTENSOR_H

#include "flywheel/Runtime/DType.h"

#include <functional>

namespace flywheel::runtime {

/// Formats the elements of a dense row-major tensor as nested brackets, one
/// line per innermost row, each line indented by two spaces and ended; elements
/// are formatted by formatElement(). The text is passed to \p print in pieces,
/// so that a large tensor needs little memory. \p shape must be valid.
void formatTensor(DType dtype, const Shape &shape, const void *data,
                  const std::function<void(const std::string &)> &print);

} // namespace flywheel::runtime

#endif // FLYWHEEL_RUNTIME_FORMATTENSOR_H
