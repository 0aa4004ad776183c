//===- Module.cpp - The extension module ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "Attributes.h"
#include "Bindings.h"
#include "DeviceArrays.h"
#include "Digests.h"
#include "Errors.h"
#include "Graph.h"
#include "Options.h"

namespace nb = nanobind;

NB_MODULE(_flywheel, module) {
  using namespace flywheel::python;
  // Functions and stores of a program live as long as its modules.
  nb::set_leak_warnings(false);
  module.doc() = "The compiler and its sessions; use the package `flywheel`.";
  module.attr("__version__") = FLYWHEEL_VERSION;
  importNumPy();
  addErrors(module);
  addOptions(module);
  addCompiler(module);
  addEntryType(module);
  addDeviceArrayType(module);
  addSession(module);
  watchForks();
  addStore(module);
  addDigests(module);
  addDispatcher(module);
  addAttributes(module);
  addGraph(module);
  addProgramFiles(module);
  addTools(module);
}
