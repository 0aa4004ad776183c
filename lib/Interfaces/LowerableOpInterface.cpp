//===- LowerableOpInterface.cpp - Ops with a linalg form ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Interfaces/LowerableOpInterface.h"

#include "flywheel/Interfaces/LowerableOpInterface.cpp.inc"
