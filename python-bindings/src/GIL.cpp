//===- GIL.cpp - The lock of Python's interpreter -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GIL.h"

#include <cxxabi.h>
#include <unistd.h>

void flywheel::python::takeGIL(PyThreadState *thread) {
  try {
    PyEval_RestoreThread(thread);
  } catch (abi::__forced_unwind &) {
    // The process is about to end.
    while (true)
      pause();
  }
}
