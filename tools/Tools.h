//===- Tools.h - The tools as functions -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tool is a function in a library, which a program and the Python module
// link. It takes what `main` does and returns the exit status. A process runs
// one of them, once: options of LLVM are registered with the process, and
// `--help` and errors of the command line end it.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TOOLS_TOOLS_H
#define FLYWHEEL_TOOLS_TOOLS_H

namespace flywheel::tools {

int checkpointMain(int argc, char **argv);
int compileMain(int argc, char **argv);
int lspServerMain(int argc, char **argv);
int optMain(int argc, char **argv);
int runMain(int argc, char **argv);

} // namespace flywheel::tools

#endif // FLYWHEEL_TOOLS_TOOLS_H
