//===- MemoryPasses.td - Passes on what memory holds -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_MEMORY_MEMORYPASSES
#define FLYWHEEL_TRANSFORMS_MEMORY_MEMORYPASSES

include "mlir/Pass/PassBase.td"

def Rematerialize : Pass<"flywheel-rematerialize", "::mlir::func::FuncOp"> {
  let summary = "Recompute values that do not fit into a memory budget";
  let description = [{
    Before: a bufferized step, in its final order. After: its buffers fit into a
    workspace of `memory-budget` bytes where every symbolic size is `dim-size`:
    values of the forward part that the backward part would read from buffers
    are computed a second time, by copies of the ops that computed them, right
    before their use. If the budget is met without that, nothing changes.

    A value is recomputed only where each variable that it is computed from
    still has the value that it had: a recomputed value is equal, bit for bit.
    Ops with other effects than on buffers are not repeated. A search chooses
    which values to recompute: it weighs bytes times the length of the live
    range against estimated arithmetic. The pass must run right before
    plan-workspace, with the same sizes: a pass in between could merge the
    copies, or change live ranges.

    Refuses a budget that cannot be met, with the smallest workspace that was
    found and the values that are live where most bytes are.
  }];
  let options = [
    Option<"memoryBudget", "memory-budget", "int64_t", /*default=*/"-1",
           "Bytes of the workspace; negative for any number">,
    Option<"dimSize", "dim-size", "int64_t", /*default=*/"64",
           "Symbolic size for which the budget is meant, unless `dim-sizes` has "
           "its own">,
    ListOption<"dimSizes", "dim-sizes", "std::string",
               "The same for single sizes, by name: time=256">,
    Option<"reuseOperands", "reuse-operands", "bool", /*default=*/"false",
           "Where the budget can be met so, compute elementwise results in the "
           "buffers of operands, as flywheel-reuse-operand-buffers does">
  ];
  let statistics = [
    Statistic<"numRecomputed", "recomputed", "Buffers computed a second time">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def EliminateResultCopies
    : Pass<"flywheel-eliminate-result-copies", "::mlir::func::FuncOp"> {
  let summary = "Compute reshaped results where they are returned";
  let description = [{
    Before: a bufferized step, in its final order, which copies a buffer, in
    another shape, to the argument of a result or of a variable. After: the step
    computes the buffer in this argument, if the buffer is not touched before
    the last check, and nothing else touches the argument while the buffer is in
    use. Reshapes of tensors hide from `flywheel-eliminate-empty-tensors` where
    their operands are stored.
  }];
  let statistics = [
    Statistic<"numEliminated", "eliminated", "Copies to arguments that are gone">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ReuseOperandBuffers
    : Pass<"flywheel-reuse-operand-buffers", "::mlir::func::FuncOp"> {
  let summary = "Compute elementwise results in the buffers of their operands";
  let description = [{
    Before: a bufferized step, in its final order. After: where an elementwise op
    computes a buffer that nothing touched before from one of the same type that
    nothing touches later, element for element, these are one buffer. The
    computed buffer may be the argument of a result, if nothing touches the
    other one before the last check. The op may be in loops that visit one part
    of both after the other, as those over the tiles of a product. Buffers of
    less than `min-bytes` stay as they are:
    they are found in a cache, and workers that write what others read before
    wait for these.
  }];
  let options = [
    Option<"minBytes", "min-bytes", "int64_t", /*default=*/"1048576",
           "Bytes of the smallest buffer that is taken for another">
  ];
  let statistics = [
    Statistic<"numReused", "reused", "Results that are computed in an operand">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanWorkspace : Pass<"flywheel-plan-workspace", "::mlir::func::FuncOp"> {
  let summary = "Place every buffer of a step in one workspace";
  let description = [{
    Before: a bufferized function with `memref.alloc`. After: no allocation.
    Register tiles (small and static) are stack slots; every other buffer is a
    view into a new argument, `memref<?xi8>`, marked `train.workspace`. Buffers
    whose live ranges do not overlap share memory: those whose sizes are
    multiples of one size, such as numbers or multiples of the batch, at offsets
    in one slot (greedily by size, each in the smallest gap), others a slot as
    large as the largest; or, where that takes less at `dim-sizes`, all of them
    slots. Offsets and sizes are functions of the symbolic sizes of the feeds;
    the function's attribute `train.workspace_slots` lists, for each slot, the
    affine maps of the sizes in bytes of which it has the largest.

    Refuses a buffer whose size is not bounded by the dimension sizes of the
    feeds, and a workspace that is larger than `memory-budget` where each
    symbolic size is that of `dim-sizes` or else `dim-size`. Also one of more than
    2^56 bytes, if its size is static or `bound-dim-sizes` is set.
  }];
  let options = [
    Option<"memoryBudget", "memory-budget", "int64_t", /*default=*/"-1",
           "Bytes of the workspace; negative for any number">,
    Option<"dimSize", "dim-size", "int64_t", /*default=*/"64",
           "Symbolic size at which buffers are compared, unless `dim-sizes` has its "
           "own">,
    ListOption<"dimSizes", "dim-sizes", "std::string",
               "The same for single sizes, by name: time=256">,
    Option<"boundDimSizes", "bound-dim-sizes", "bool", /*default=*/"false",
           "True if no symbolic size exceeds these sizes">,
    Option<"report", "report", "bool", /*default=*/"false",
           "Say by a remark how large the workspace is, how many bytes are live at "
           "a time, and which buffers these are">
  ];
  let dependentDialects = [
    "::flywheel::codegen::CodegenDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def LowerState : Pass<"flywheel-lower-state", "::mlir::ModuleOp"> {
  let summary = "Lower variables to offsets in one block, and functions to kernels";
  let description = [{
    Before: functions whose arguments are feeds, result destinations, variables
    and a workspace. After: each function `F` is `F.kernel` with the arguments
    (state, workspace, feeds, results). It returns an i32 status and finds its
    variables at fixed offsets of the state, or by a table those that share an
    argument; a `linalg_ext.check` is an early return.
    The variables are removed from the module; `train.manifest` describes it.
  }];
  let options = [
    Option<"modelName", "model-name", "std::string", /*default=*/"\"model\"",
           "Name of the model: prefix of its symbols">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::flywheel::linalg_ext::LinalgExtDialect"
  ];
}

#endif // FLYWHEEL_TRANSFORMS_MEMORY_MEMORYPASSES
