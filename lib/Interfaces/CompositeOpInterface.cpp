//===- CompositeOpInterface.cpp - Ops that are made of others
//-----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Interfaces/CompositeOpInterface.h"

#include "flywheel/Interfaces/CompositeOpInterface.cpp.inc"
