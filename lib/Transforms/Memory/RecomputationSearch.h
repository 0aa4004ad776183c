//===- RecomputationSearch.h - Choice of values to recompute ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_MEMORY_RECOMPUTATIONSEARCH_H
#define FLYWHEEL_LIB_TRANSFORMS_MEMORY_RECOMPUTATIONSEARCH_H

#include "RematModel.h"

namespace flywheel {

/// Returns the program whose workspace is at most `budget` bytes with the
/// fewest recomputed flops that the search finds. If it finds none, returns the
/// one with the smallest workspace.
RematModel fitIntoBudget(RematModel program, int64_t budget);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_MEMORY_RECOMPUTATIONSEARCH_H
