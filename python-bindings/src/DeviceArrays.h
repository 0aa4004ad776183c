//===- DeviceArrays.h - Arrays that are on a GPU ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What says where it is by `__cuda_array_interface__` (versions 2 and 3) or by
// `__dlpack__`: arrays of torch, cupy, jax and numba.
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

/// Whether `value` says that it is on a GPU. Throws what it raises.
bool isOnGPU(PyObject *value);

/// Where `value` is, which `isOnGPU`; null with a Python error that starts with
/// `what` for one that is not dense, or of a dtype that no variable has. What
/// other streams still do for it is waited for, or ordered before the step.
std::unique_ptr<DeviceView> readDeviceArray(PyObject *value,
                                            const std::string &what);

/// Adds `flywheel.DeviceArray`.
void addDeviceArrayType(nanobind::module_ &module);

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_DEVICEARRAYS_H
