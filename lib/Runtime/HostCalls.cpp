//===- HostCalls.cpp - Functions that a step calls ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Runtime/HostCalls.h"

#include <cfenv>
#include <cstring>

namespace flywheel::runtime {

static thread_local HostFunctions *current = nullptr;

HostFunctionsScope::HostFunctionsScope(HostFunctions *functions)
    : outer(current) {
  current = functions;
}

HostFunctionsScope::~HostFunctionsScope() { current = outer; }

namespace {
/// The arithmetic that functions of the host expect: a step flushes denormal
/// numbers.
class DefaultArithmetic {
public:
  DefaultArithmetic() {
    std::fegetenv(&own);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultArithmetic() { std::fesetenv(&own); }

private:
  std::fenv_t own;
};
} // namespace

static std::vector<HostArray> readArrays(const int64_t *&word, int64_t count) {
  std::vector<HostArray> arrays;
  for (; count > 0; --count) {
    HostArray array;
    array.dtype = static_cast<DType>(word[0]);
    array.rank = word[1];
    array.data = reinterpret_cast<void *>(word[2]);
    array.sizes = word + 3;
    array.strides = array.sizes + array.rank;
    word = array.strides + array.rank;
    arrays.push_back(array);
  }
  return arrays;
}

/// Writes zeros to the elements of `array` at `data`, from dimension `dim` on.
static void clear(const HostArray &array, char *data, int64_t dim) {
  if (dim == array.rank) {
    std::memset(data, 0, dtypeSize(array.dtype));
    return;
  }
  for (int64_t index = 0; index < array.sizes[dim]; ++index)
    clear(array, data + index * array.strides[dim], dim + 1);
}

} // namespace flywheel::runtime

int32_t flywheel_host_call(const int64_t *table, int32_t status) {
  using namespace flywheel::runtime;
  const int64_t *word = table + 3;
  std::vector<HostArray> inputs = readArrays(word, table[1]);
  std::vector<HostArray> outputs = readArrays(word, table[2]);
  bool isCalled = false;
  if (status == 0 && current) {
    DefaultArithmetic arithmetic;
    isCalled = current->call(table[0], inputs, outputs);
  }
  if (isCalled)
    return 0;
  for (const HostArray &output : outputs)
    clear(output, static_cast<char *>(output.data), 0);
  return status == 0 ? 1 : status;
}
