//===- HostCalls.h - Functions that a step calls ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_RUNTIME_HOSTCALLS_H
#define FLYWHEEL_RUNTIME_HOSTCALLS_H

#include "flywheel/Runtime/DType.h"

#include <cstdint>
#include <vector>

namespace flywheel::runtime {

/// Elements of the step, which a function reads or writes. Integers are signed
/// and booleans are bytes: the step does not say more.
struct HostArray {
  DType dtype;
  int64_t rank;
  /// The sizes and the strides of the dimensions; strides are in bytes.
  const int64_t *sizes, *strides;
  void *data;
};

/// The functions that the `train.host_call` ops of a step call.
class HostFunctions {
public:
  virtual ~HostFunctions() = default;
  /// Calls function `site`, which writes all of `outputs`. Returns false if it
  /// has failed.
  virtual bool call(int64_t site, const std::vector<HostArray> &inputs,
                    const std::vector<HostArray> &outputs) = 0;
};

/// Makes functions those of the steps that this thread calls, or, if null,
/// lets them have none, while it lives.
class HostFunctionsScope {
public:
  explicit HostFunctionsScope(HostFunctions *functions);
  ~HostFunctionsScope();
  HostFunctionsScope(const HostFunctionsScope &) = delete;
  HostFunctionsScope &operator=(const HostFunctionsScope &) = delete;

private:
  HostFunctions *outer;
};

} // namespace flywheel::runtime

extern "C" {
/// Compiled steps call this. `table` has the words: the site, the number of
/// inputs and of outputs, and, for each of them, its DType, rank, address,
/// sizes, and strides in bytes. Calls nothing if `status` is not 0, that of a
/// call which has failed before. Returns the next status; if that is not 0, the
/// outputs are zeros.
// NOLINTNEXTLINE(readability-identifier-naming)
int32_t flywheel_host_call(const int64_t *table, int32_t status);
}

#endif // FLYWHEEL_RUNTIME_HOSTCALLS_H
