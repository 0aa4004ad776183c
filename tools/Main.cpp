//===- Main.cpp - A tool as a program -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

int main(int argc, char **argv) {
  return flywheel::tools::FLYWHEEL_TOOL(argc, argv);
}
