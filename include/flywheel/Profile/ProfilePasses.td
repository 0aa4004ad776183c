//===- ProfilePasses.td - Passes that measure --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_PROFILE_PASSES
#define FLYWHEEL_PROFILE_PASSES

include "mlir/Pass/PassBase.td"

def ProfileStep : Pass<"flywheel-profile-step", "::mlir::ModuleOp"> {
  let summary = "Measure each kernel of a step";
  let description = [{
    Before: the output of `flywheel-lower-state`. After: each kernel, which is
    a structured op, a copy, or the loops over the tiles of a fused group, is
    between a `codegen.profile_begin` and a `codegen.profile_end`. The manifest
    describes each kernel, and the block of state has room for the profile. The
    attributes of `flywheel-count-work` on ops and functions are removed. The
    initializer is not measured.
  }];
  let options = [
    Option<"events", "events", "int64_t", /*default=*/"1024",
           "How many calls of kernels a worker records one by one, until it is "
           "told to forget them">
  ];
  let dependentDialects = ["::flywheel::codegen::CodegenDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Number of kernels that are measured">
  ];
}

def ProfileGPULaunches : Pass<"flywheel-profile-gpu-launches", "::mlir::ModuleOp"> {
  let summary = "Measure each launch of a step";
  let description = [{
    Before: `gpu.launch_func` in kernels `F.kernel` that have asked the runtime for
    their state. After: the manifest has a profile, in which each launch is a
    kernel, with what it takes where all its sizes are known, and the runtime is
    told before each which one it is: it measures them with events of the device.
  }];
  let options = [
    Option<"events", "events", "int64_t", "1024",
           "Launches of a step that are recorded for a trace">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect"
  ];
  let statistics = [Statistic<"numLaunches", "launches", "Launches measured">];
}

def LowerProfile : Pass<"flywheel-lower-profile", "::mlir::ModuleOp"> {
  let summary = "Read counters and add up times";
  let description = [{
    Before: `codegen.profile_begin` and `codegen.profile_end` in functions of a
    module whose manifest has a profile; before `flywheel-lower-workers`. After:
    they are reads of the counter of the processor, `rdtsc` or `cntvct_el0`, and
    calls of `profile.record`, which adds to the counters of the worker and records
    the call where there is room. No function of a system is called.

    Refuses the ops in a module whose manifest has no profile.
  }];
  let options = [
    Option<"counter", "counter", "std::string", /*default=*/"\"\"",
           "The counter: that of LLVM for the target, or 'aarch64'">
  ];
  let dependentDialects = ["::flywheel::codegen::CodegenDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // FLYWHEEL_PROFILE_PASSES
