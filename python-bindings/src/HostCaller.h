//===- HostCaller.h - Functions of Python that a step calls -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_HOSTCALLER_H
#define FLYWHEEL_PYTHON_HOSTCALLER_H

#include "GIL.h"
#include "ObjectMutex.h"

#include "flywheel/Runtime/HostCalls.h"

namespace flywheel::python {

/// Calls one function of Python, function(site, arrays), for the calls of one
/// call of an entry. It gets copies of the values, as signed integers, bytes
/// for booleans, or floating-point numbers, and returns a list of arrays of
/// the same dtypes as the results. An exception of it ends the step.
class HostCaller final : public runtime::HostFunctions {
public:
  /// `function` may be null, and outlives this, as `mutex` does, whose lock the
  /// entry has while it runs.
  HostCaller(PyObject *function, ObjectMutex &mutex)
      : function(function), mutex(mutex) {}
  ~HostCaller() override { Py_XDECREF(error); }
  HostCaller(const HostCaller &) = delete;
  HostCaller &operator=(const HostCaller &) = delete;

  /// Returns null if there is no function.
  runtime::HostFunctions *getFunctions() { return function ? this : nullptr; }

  void giveUpGIL() { thread = PyEval_SaveThread(); }
  void takeGIL() { python::takeGIL(thread); }

  bool call(int64_t site, const std::vector<runtime::HostArray> &inputs,
            const std::vector<runtime::HostArray> &outputs) override;

  /// Sets the Python error that a call has left. Returns false if none has.
  bool restoreError();

private:
  bool callWithGIL(int64_t site, const std::vector<runtime::HostArray> &inputs,
                   const std::vector<runtime::HostArray> &outputs);

  PyObject *function;
  ObjectMutex &mutex;
  PyThreadState *thread = nullptr;
  /// An exception, with its traceback.
  PyObject *error = nullptr;
};

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_HOSTCALLER_H
