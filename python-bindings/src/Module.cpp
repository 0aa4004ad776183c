//===- Module.cpp - The extension module ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Bindings.h"
#include "Errors.h"

NB_MODULE(_flywheel, module) {
  using namespace flywheel::python;
  module.doc() = "The compiler and its sessions; use the package `flywheel`.";
  importNumPy();
  addErrors(module);
  addCompiler(module);
  addEntryType(module);
  addSession(module);
}
