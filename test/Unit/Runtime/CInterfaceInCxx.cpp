//===- CInterfaceInCxx.cpp - flywheel.h is C++ too ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define TEST_NAME flywheelCInterfaceInCxx
#include "CInterfaceInC.c"
