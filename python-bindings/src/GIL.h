//===- GIL.h - The lock of the interpreter of Python ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PYTHON_GIL_H
#define FLYWHEEL_PYTHON_GIL_H

#include <nanobind/nanobind.h>

namespace flywheel::python {

/// Waits for the GIL. Does not return once the interpreter ends: Python (up to
/// 3.13) would unwind a thread that comes back then, and so have it destroy
/// objects without the GIL.
void takeGIL(PyThreadState *thread);

inline bool isInterpreterEnding() {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsFinalizing();
#else
  return _Py_IsFinalizing();
#endif
}

/// Gives the GIL up while it lives.
class GILRelease {
public:
  GILRelease() : thread(PyEval_SaveThread()) {}
  ~GILRelease() { takeGIL(thread); }
  GILRelease(const GILRelease &) = delete;
  GILRelease &operator=(const GILRelease &) = delete;

private:
  PyThreadState *thread;
};

} // namespace flywheel::python

#endif // FLYWHEEL_PYTHON_GIL_H
