//===- ToolBindings.cpp - The tools in Python's process -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"
#include "GIL.h"
#include "Tools.h"

#include "llvm/ADT/StringSwitch.h"

#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

namespace nb = nanobind;

namespace flywheel::python {

using ToolMain = int (*)(int argc, char **argv);

/// Returns null for a name of no tool.
static ToolMain lookupTool(llvm::StringRef name) {
  return llvm::StringSwitch<ToolMain>(name)
      .Case("flywheel-checkpoint", tools::checkpointMain)
      .Case("flywheel-compile", tools::compileMain)
      .Case("flywheel-lsp-server", tools::lspServerMain)
      .Case("flywheel-opt", tools::optMain)
      .Case("flywheel-run", tools::runMain)
      .Default(nullptr);
}

static int runTool(const std::vector<nb::bytes> &given) {
  std::vector<std::string> arguments;
  for (const nb::bytes &argument : given)
    arguments.emplace_back(argument.c_str(), argument.size());
  ToolMain tool = arguments.empty() ? nullptr : lookupTool(arguments.front());
  if (!tool)
    throw nb::value_error("expected the name of a tool as the first argument");
  // A second one would find the options of the first.
  static bool hasRun = false;
  if (hasRun)
    throw std::runtime_error("a process runs one tool, once");
  hasRun = true;
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  GILRelease release;
  return tool(static_cast<int>(arguments.size()), argv.data());
}

void addTools(nb::module_ &module) {
  module.def("_run_tool", runTool, nb::arg("arguments"),
             "Runs the tool that the first argument names, such as "
             "b'flywheel-run', and returns its exit status. `--help` and "
             "errors of the command line end the process. Once in a process.");
}

} // namespace flywheel::python
