//===- CInterfaceTest.cpp - Checkpoints for programs in C -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include <thread>

using namespace flywheel::runtime::test;

/// The number of the line that failed, or 0.
extern "C" int flywheelCInterfaceInC(const char *directory);
extern "C" int flywheelCInterfaceInCxx(const char *directory);

namespace {

using CInterfaceTest = TemporaryDirectoryTest;

TEST_F(CInterfaceTest, InC) {
  EXPECT_EQ(flywheelCInterfaceInC(directory.c_str()), 0);
}

TEST_F(CInterfaceTest, InCxx) {
  EXPECT_EQ(flywheelCInterfaceInCxx(directory.c_str()), 0);
}

/// Different blocks are independent.
TEST_F(CInterfaceTest, InThreads) {
  int lines[8];
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    std::string own = path(std::to_string(i));
    std::filesystem::create_directory(own);
    threads.emplace_back([own, result = &lines[i]] {
      *result = flywheelCInterfaceInC(own.c_str());
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  for (int line : lines)
    EXPECT_EQ(line, 0);
}

} // namespace
