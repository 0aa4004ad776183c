//===- Precompiled.cpp - The owner of the precompiled headers -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CMake compiles a list of headers for a target that has a source.
//
//===----------------------------------------------------------------------===//

#include "Precompiled.h"
