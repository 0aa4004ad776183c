// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a checkpoint, without LLVM.

#include "flywheel/Runtime/Checkpoint.h"

#include <cstdio>

int main() {
  auto checkpoint = flywheel::runtime::CheckpointReader::open("nowhere");
  std::printf("%s\n", checkpoint.status().message().c_str());
  return 0;
}
