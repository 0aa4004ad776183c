//===- GPUPasses.td - Passes that write GPU kernels --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_GPU_GPUPASSES
#define FLYWHEEL_CODEGEN_GPU_GPUPASSES

include "mlir/Pass/PassBase.td"

def PlaceOnGPU : Pass<"flywheel-place-on-gpu", "::mlir::ModuleOp"> {
  let summary = "Put state, workspace, feeds and results of a step on the device";
  let description = [{
    Before: kernels `F.kernel` on buffers of the host, in a module whose
    `codegen.target` is a GPU. After: each asks the runtime for buffers of the
    device in their place, constant tables too, and ends with a call that brings
    results back; every `memref` in it is of the device. The state stays there
    from one call to the next. Accesses of single elements by the host are calls
    that copy one element. The initializer stays a function of the host, which
    tells the runtime that the state of the host is the newer one.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect"
  ];
}

def RecomputeScores : Pass<"flywheel-recompute-scores", "::mlir::func::FuncOp"> {
  let summary = "Compute scores of attention again where gradients need them";
  let description = [{
    Before: structured ops on tensors, in their order. After: what is computed
    element by element of a batched product that is larger than its factors is
    computed again where it is used behind a value that needs all of it, and,
    transposed, where its rows are added up. No launch leaves such a tensor to
    another one: each block has some rows of it in workgroup memory. Tensors of
    which rows do not fit there, and dynamic rows, are left alone.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [Statistic<"numRecomputed", "recomputed",
                              "Structured ops that are there again">];
}

def ChooseGPUSchedules : Pass<"flywheel-choose-gpu-schedules", "::mlir::func::FuncOp"> {
  let summary = "Say how the blocks of a GPU compute each contraction";
  let description = [{
    Before: structured ops on buffers, in a module whose `codegen.target` is a GPU.
    After: contractions that read their inputs several times have a
    `codegen.schedule`: tensor cores multiply f16 and bf16, and f32 where the target
    allows tf32; tiles are as large as leaves enough blocks for the device. What
    has such a schedule keeps it.
  }];
  let dependentDialects = ["::flywheel::codegen::CodegenDialect"];
  let statistics = [Statistic<"numChosen", "schedules", "Schedules chosen">];
}

def FormGPUGroups : Pass<"flywheel-form-gpu-groups", "::mlir::func::FuncOp"> {
  let summary = "Gather structured ops on buffers that share a launch";
  let description = [{
    Before: structured ops on buffers, in the order of the step. After: those
    that share a launch are parts of their iterations in one `scf.forall` that is
    mapped to blocks of a GPU. No iteration of it needs what another one writes:

     * ops on the same number of rows, where each row of every buffer that is
       written belongs to one row of every op: a softmax, a norm, attention. Few
       rows are one block's;
     * a contraction with the fill of its result and ops that follow it element
       by element, on tiles of the result.

    Buffers that only one group uses are parts of it in workgroup memory, as far
    as there is room. Ops that share nothing are left alone. The initializer is
    left to the host.
  }];
  let dependentDialects = [
    "::flywheel::codegen::CodegenDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
  let statistics = [Statistic<"numGroups", "groups", "Groups formed">];
}

def MapToGPU : Pass<"flywheel-map-to-gpu", "::mlir::func::FuncOp"> {
  let summary = "Make each structured op on buffers a launch";
  let description = [{
    Before: structured ops on buffers, some in groups, an `scf.forall` that is
    mapped to blocks. After: each group is a `gpu.launch` with a block for each
    iteration. The threads of a block share every op, and wait for each other
    between ops: a contraction by tiles of its inputs in workgroup memory, copied
    ahead of their use, and of its result in registers, where ops with
    `codegen.along` behind it are computed too, a reduction with few results by a tree of partial
    ones, in an order that is always the same, others element by element. An op in
    no group is a launch whose threads go over the parallel iterations, neighbours
    next to each other along the innermost loop, as many as there are in a grid
    and from there on in strides of it; a thread computes its reductions in the
    order of the loops. The initializer is left to the host.
  }];
  let dependentDialects = [
    "::flywheel::codegen::CodegenDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let statistics = [Statistic<"numLaunches", "launches", "Launches made">];
}

def ExpandDeviceMath : Pass<"flywheel-expand-device-math", "::mlir::func::FuncOp"> {
  let summary = "Replace functions of numbers in launches by those that there are";
  let description = [{
    Before: `math` ops in launches. After: `math.rsqrt` is a division, `math.powf`
    an exponential of a logarithm in f64, with the special values of C;
    `math.log1p` of f64 a logarithm with its rounding error taken back. What
    `flywheel-expand-math` expands is left to it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def OutlineGPUKernels : Pass<"flywheel-outline-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "Move launches into one module of device code";
  let description = [{
    Before: `gpu.launch`. After: `gpu.launch_func` of kernels in one `gpu.module`,
    each named as its entry, the op of the source and its number. Constants and
    sizes that a kernel can compute itself are no arguments. With `report`, a
    remark says what each kernel reads, writes and computes.
  }];
  let options = [
    Option<"report", "report", "bool", /*default=*/"false",
           "Say what each kernel takes">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def LowerGPUKernels : Pass<"flywheel-lower-gpu-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower device code to the NVVM and LLVM dialects";
  let description = [{
    Before: `gpu.func`s of arithmetic, control flow and buffers. After: functions
    of the LLVM dialect with NVVM's intrinsics, which call nothing: no library of
    device code is needed. A function of numbers that has no expansion is an error
    at the op.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def LowerGPULaunches : Pass<"flywheel-lower-gpu-launches", "::mlir::ModuleOp"> {
  let summary = "Embed device code, and make launches calls of the runtime";
  let description = [{
    Before: `gpu.launch_func` and a lowered `gpu.module`. After: the module's code
    is a constant of bytes, for the chip and in the form that the `codegen.target`
    of the module says, and launches are calls of the runtime.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"
  ];
}

#endif // FLYWHEEL_CODEGEN_GPU_GPUPASSES
