//===- DifferentiableOpInterface.cpp - Reverse-mode rules -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Interfaces/DifferentiableOpInterface.h"

#include "flywheel/Interfaces/DifferentiableOpInterface.cpp.inc"
