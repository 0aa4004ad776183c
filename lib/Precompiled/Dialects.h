//===- Dialects.h - Our dialects, parsed once -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing the classes of our ops, and instantiating upstream's templates for
// them, took a third of the time of a build, anew in each file. This list is
// compiled on top of Precompiled.h. After a change of a dialect everything that
// uses one is compiled, so that no other header of ours belongs here. No file
// relies on it: each includes what it uses.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_PRECOMPILED_DIALECTS_H
#define FLYWHEEL_LIB_PRECOMPILED_DIALECTS_H

#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/NN/NNBuilders.h"
#include "flywheel/Dialect/Train/Train.h"

#endif // FLYWHEEL_LIB_PRECOMPILED_DIALECTS_H
