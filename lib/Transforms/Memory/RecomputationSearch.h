//===- RecomputationSearch.h - Which values to recompute ------ -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TRANSFORMS_MEMORY_RECOMPUTATIONSEARCH_H
#define FLYWHEEL_LIB_TRANSFORMS_MEMORY_RECOMPUTATIONSEARCH_H

#include "RematModel.h"

namespace flywheel {

/// The program whose workspace is at most `budget` bytes and that recomputes as
/// few flops as the search finds; where it finds none, the one of the smallest
/// workspace that it finds.
RematModel fitIntoBudget(RematModel program, int64_t budget);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TRANSFORMS_MEMORY_RECOMPUTATIONSEARCH_H
