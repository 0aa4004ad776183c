//===- GPUObject.cpp - The runtime for GPUs in object files ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled to bitcode, which is linked into object files whose steps a GPU
// executes. All of it in one file, and of the C library alone.
//
//===----------------------------------------------------------------------===//

#include "GPU.cpp"
#include "GPUDriver.cpp"
#include "GPULaunches.cpp"
#include "GPUMirror.cpp"
#include "GPUProfile.cpp"
#include "GPUStep.cpp"
