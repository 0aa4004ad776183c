//===- DriverPasses.td - Passes about stages ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_DRIVERPASSES
#define FLYWHEEL_DRIVER_DRIVERPASSES

include "mlir/Pass/PassBase.td"

def AttachTarget : Pass<"flywheel-attach-target", "::mlir::ModuleOp"> {
  let summary = "Describe the target in the module";
  let description = [{
    Before: any module. After: the module has a `codegen.target`, which describes
    the CPU that the options name: its vector unit and the extensions that kernels
    can be made of, as LLVM knows them. A module that has a target keeps it. An
    unknown kind of CPU counts as one with 16 vector registers of 128 bits.

    Caches and cores are those of this machine where the CPU is this one's by
    default or as `host`, and the operating system tells. Otherwise they are 48 KiB,
    2 MiB and one core: code for a CPU with a name is the same on every machine.

    Refuses triples, CPUs and features that LLVM does not know, a second cache
    that is smaller than the first, and a back end that does not exist or does not
    take the device.
  }];
  let options = [
    Option<"triple", "triple", "std::string", /*default=*/[{""}],
           "LLVM triple of the machine; empty for this one">,
    Option<"cpu", "cpu", "std::string", /*default=*/[{""}],
           "LLVM name of the CPU; empty for this one, or with a triple for the "
           "most general one">,
    Option<"features", "features", "std::string", /*default=*/[{""}],
           "LLVM features to add or remove, such as +avx2,-fma">,
    Option<"l1Bytes", "l1-bytes", "int64_t", /*default=*/"0",
           "Bytes of the first data cache of a core; 0 for the machine's">,
    Option<"l2Bytes", "l2-bytes", "int64_t", /*default=*/"0",
           "Bytes of the second cache of a core; 0 for the machine's">,
    Option<"cores", "cores", "int64_t", /*default=*/"0",
           "Cores that a step may use; 0 for the machine's">,
    Option<"device", "device", "std::string", /*default=*/[{""}],
           "Where steps are executed: cpu, or cuda[:CHIP[:ptx|bitcode]]">,
    Option<"backend", "backend", "std::string", /*default=*/[{""}],
           "Name of the back end that makes the target; empty for the first one "
           "that takes the device">
  ];
  let dependentDialects = ["::flywheel::codegen::CodegenDialect"];
}

def RecordStage : Pass<"flywheel-record-stage", "::mlir::ModuleOp"> {
  let summary = "Record in the module which stages have run";
  let description = [{
    Before: any module. After: the module's attribute `train.compilation` is a
    dictionary with the last stage that ran (`stage`) and the options of this
    stage and those before it, each from the first stage that reads it. A
    compiler that is given the module continues with the next stage and refuses
    other values of these options.

    Refuses a `stage` that does not exist or whose turn it is not by the record of
    the module, and `settings` that are not the inside of a dictionary attribute.
    Also refuses an option of previous stages with another value than the record
    has, if it is `given` or the stage has other passes with that value, and
    options with which no back end compiles.
  }];
  let options = [
    Option<"stage", "stage", "std::string", /*default=*/"\"\"",
           "Name of the stage that ends here">,
    Option<"settings", "settings", "std::string", /*default=*/"\"\"",
           "Options of this stage and those before it, as the inside of a "
           "dictionary attribute">,
    ListOption<"given", "given", "std::string",
               "Names of the options that somebody gave to the stage">
  ];
}

def FitWorkspace : Pass<"flywheel-fit-workspace", "::mlir::func::FuncOp"> {
  let summary = "Recompute, share and plan a step within a budget";
  let description = [{
    Before: a bufferized function of one block, in its final order. After: what
    flywheel-rematerialize, flywheel-distribute-step and flywheel-plan-workspace make
    of it, one after the other, with a workspace of at most `memory-budget`.

    Several workers have buffers of their own, and keep others for longer, up to
    a barrier, and split reductions have partial results: that is not known
    before. So if the plan takes more than the budget, all run again, on the
    function as it was, and recompute as if the budget were smaller, a sixteenth
    of it at a time, down to a quarter. If none fits, half as many workers
    execute the step, and so on down to one, and a warning says so.

    Refuses what they refuse, and a budget that one worker does not meet.
  }];
  let options = [
    Option<"memoryBudget", "memory-budget", "int64_t", /*default=*/"-1",
           "Bytes of the workspace; negative for any number">,
    Option<"dimSize", "dim-size", "int64_t", /*default=*/"64",
           "Symbolic size for which the budget is meant, unless `dim-sizes` has "
           "its own">,
    ListOption<"dimSizes", "dim-sizes", "std::string",
               "The same for single sizes, by name: time=256">,
    Option<"boundDimSizes", "bound-dim-sizes", "bool", /*default=*/"false",
           "True if no symbolic size exceeds these sizes">,
    Option<"reuseOperands", "reuse-operands", "bool", /*default=*/"false",
           "The option of flywheel-rematerialize">,
    Option<"workers", "workers", "int64_t", /*default=*/"1",
           "The option of flywheel-distribute-step">,
    Option<"minWork", "min-work", "int64_t", /*default=*/"4000000",
           "The option of flywheel-distribute-step">,
    Option<"minLoopWork", "min-loop-work", "int64_t", /*default=*/"4096",
           "The option of flywheel-distribute-step">,
    Option<"warns", "warns", "bool", /*default=*/"true",
           "Warn of fewer workers than `workers`">,
    Option<"report", "report", "bool", /*default=*/"false",
           "The option of flywheel-distribute-step and flywheel-plan-workspace">
  ];
  let statistics = [
    Statistic<"numRefused", "refused", "Plans that took more than the budget">
  ];
  let dependentDialects = [
    "::flywheel::codegen::CodegenDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // FLYWHEEL_DRIVER_DRIVERPASSES
