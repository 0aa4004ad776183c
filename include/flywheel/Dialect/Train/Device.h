//===- Device.h - Names of devices ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_DEVICE_H
#define FLYWHEEL_DIALECT_TRAIN_DEVICE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace flywheel::train {

/// A device as programs name it: fields `/job:NAME`, `/replica:N`, `/task:N`
/// and one of `/cpu:N`, `/gpu:N` and `/device:TYPE:N`, each at most once, in
/// any order. Omitted fields match any value.
struct DeviceSpec {
  std::string job;
  std::optional<unsigned> replica, task;
  /// In upper case (`CPU`); empty for any type.
  std::string type;
  unsigned index = 0;

  /// Fails on any other text.
  static llvm::FailureOr<DeviceSpec> parse(llvm::StringRef text);

  /// Returns true if it is one of `/cpu:0` and, with a GPU, `/gpu:0`. Jobs,
  /// replicas and tasks are logical: one process stands for all of them.
  bool isAvailable(bool withGPU) const {
    return type.empty() ||
           (index == 0 && (type == "CPU" || (withGPU && type == "GPU")));
  }
};

} // namespace flywheel::train

#endif // FLYWHEEL_DIALECT_TRAIN_DEVICE_H
