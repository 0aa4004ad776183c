//===- PartitionPasses.h - Who computes which part of a step --------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_PARTITION_PARTITIONPASSES_H
#define FLYWHEEL_TRANSFORMS_PARTITION_PARTITIONPASSES_H

#include "flywheel/Support/PassCount.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace flywheel {
#define GEN_PASS_DECL
#include "flywheel/Transforms/Partition/PartitionPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "flywheel/Transforms/Partition/PartitionPasses.h.inc"
} // namespace flywheel

#endif // FLYWHEEL_TRANSFORMS_PARTITION_PARTITIONPASSES_H
