//===- DeviceArrays.h - Arrays that are on a GPU ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays that describe their memory by `__cuda_array_interface__` (versions 2
// and 3) or by `__dlpack__`: those of torch, cupy, jax and numba.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_DEVICEARRAYS_H
#define FLYWHEEL_PYTHON_DEVICEARRAYS_H

#include "flywheel/Session/ArrayView.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

namespace flywheel::python {

/// An array on a GPU, with what keeps it there.
struct DeviceView {
  runtime::DType dtype;
  std::vector<int64_t> shape;
  void *data = nullptr;
  bool isReadOnly = false;
  nanobind::object keeper;
};

/// Returns true if `value` reports that it is on a GPU. Throws the errors that
/// it raises.
bool isOnGPU(PyObject *value);

/// Returns a view of `value`, which is on a GPU; null with a Python error that
/// starts with `what` if it is not dense, or of a dtype that no variable has.
/// Waits for the work that other streams still do for it, or orders that before
/// the step.
std::unique_ptr<DeviceView> readDeviceArray(PyObject *value,
                                            const std::string &what);

/// Adds `flywheel.DeviceArray`.
void addDeviceArrayType(nanobind::module_ &module);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_DEVICEARRAYS_H
