//===- BatchableOpInterface.cpp - Many of an op at once -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Interfaces/BatchableOpInterface.h"

#include "flywheel/Interfaces/BatchableOpInterface.cpp.inc"
