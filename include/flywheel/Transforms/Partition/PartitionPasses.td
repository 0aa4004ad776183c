//===- PartitionPasses.td - Who computes which part --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_PARTITION_PARTITIONPASSES
#define FLYWHEEL_TRANSFORMS_PARTITION_PARTITIONPASSES

include "mlir/Pass/PassBase.td"

def SplitReductions : Pass<"flywheel-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "Split long reductions into blocks";
  let description = [{
    Before: a bufferized function. After: a reduction with at least `min-work`
    scalar operations, whose parallel dimensions have too few blocks for several
    workers, such as a loss or the statistics of a batch norm, is a loop over
    blocks of its reduction dimension. Each block has results of its own, and an
    op after the loop combines these in the order of the blocks.

    The blocks depend on sizes alone, and the pass runs for one worker, too: a
    step has the same bits for any number of workers. Reductions in a loop whose
    iterations are independent stay whole, as that loop is shared.
  }];
  let options = [
    Option<"minWork", "min-work", "int64_t", /*default=*/"32768",
           "Scalar operations of a reduction that is worth splitting">
  ];
  let statistics = [
    Statistic<"numSplit", "split", "Reductions that are loops over blocks">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def DistributeStep : Pass<"flywheel-distribute-step", "::mlir::func::FuncOp"> {
  let summary = "Share a step between workers";
  let description = [{
    Before: a bufferized function of one block, in its final order, with
    `memref.alloc`. After: a function that `codegen.num_workers` workers execute
    at the same time. Each worker computes its share of every large loop whose
    iterations are independent: groups of tiles, and structured ops and copies,
    which become loops over blocks. Small ops that write memory are left to the
    first worker. Every worker executes ops on scalars, and control flow.
    `codegen.barrier` stands only where a worker touches what another one wrote,
    or writes what another one touched; two loops that share a dimension in the
    same way need none between them.

    Results do not depend on the number of workers, to the last bit: each worker
    computes whole blocks, which have the same size for any number of workers.
    `flywheel-split-reductions` has split long reductions before.

    A function with less work than `min-work` scalar operations is left as it
    is, as is one with an op whose effects are not known, or with `workers` 1.
    The others have the attribute `codegen.workers`, the largest number of workers,
    and their allocations inside of shared loops have `codegen.private`.
  }];
  let options = [
    Option<"workers", "workers", "int64_t", /*default=*/"1",
           "The largest number of workers; a step has fewer if its work is small">,
    Option<"minWork", "min-work", "int64_t", /*default=*/"4000000",
           "Scalar operations of a step that is worth sharing">,
    Option<"minLoopWork", "min-loop-work", "int64_t", /*default=*/"4096",
           "Scalar operations of a loop that is worth sharing">,
    Option<"report", "report", "bool", /*default=*/"false",
           "Say by remarks how many barriers a step has and how many bytes cross "
           "between workers, or why one worker executes it">
  ];
  let statistics = [
    Statistic<"numShared", "shared", "Loops that workers share">,
    Statistic<"numFirst", "first", "Ops that the first worker executes alone">,
    Statistic<"numBarriers", "barriers", "Barriers">
  ];
  let dependentDialects = [
    "::flywheel::codegen::CodegenDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // FLYWHEEL_TRANSFORMS_PARTITION_PARTITIONPASSES
