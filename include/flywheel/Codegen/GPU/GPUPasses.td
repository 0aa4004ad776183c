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
    that copy one element, which is 0 once the device has failed: loops of the
    host, but those of constant bounds, ask whether it has, and end then. The
    initializer stays a function of the host, which tells the runtime that the
    state of the host is the newer one.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def NarrowFactors : Pass<"flywheel-narrow-factors", "::mlir::func::FuncOp"> {
  let summary = "Let tensor cores multiply what was f16 or bf16";
  let description = [{
    Before: structured ops on tensors. After: batched products with sums of f32
    whose factors are f16, or bf16, that were made f32 read the narrow numbers:
    the products are the same, and tensor cores multiply them. A constant that one
    factor was multiplied by meanwhile, as queries of attention are, multiplies
    sums that begin with 0 where they are used, unless a contraction does that.
    That rounds elsewhere; of bf16 a sum of 2^128 or more is infinite though its
    scale would have made it less. Others, of weights for one, are left alone:
    they would be rounded.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [Statistic<"numNarrowed", "narrowed",
                              "Products that read narrow factors">];
}

def RecomputeScores : Pass<"flywheel-recompute-scores", "::mlir::func::FuncOp"> {
  let summary = "Compute scores of attention again where gradients need them";
  let description = [{
    Before: structured ops on tensors, in their order. After: what is computed
    element by element of a batched product that is larger than its factors is
    computed again where it is used behind a value that needs all of it, and,
    transposed, where its rows are added up; what is transposed comes together,
    behind what it needs. No launch leaves such a tensor to another one: each
    block has some rows of it in workgroup memory. A size that the call chooses is
    thought to be large. Tensors of fewer than 2048 rows and at most 16 MB are left
    alone: blocks would be few, and caches hold them.
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
    allows tf32; tiles are as large as leaves enough blocks for the device. An
    op that has such a schedule keeps it.
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
       rows are one block's. Rows may be of several dimensions, whose sizes may be
       dynamic: then there is a loop over blocks for each of these;
     * a contraction with the fill of its result and ops that follow it element
       by element, on tiles of the result.

    Buffers that only one group uses are parts of it in workgroup memory, as far
    as there is room. Rows of a product that are too long for it, and are added
    up in the group alone, are computed in an `scf.for` over tiles of their
    columns where they are added up. Ops that share nothing are left alone. The initializer is
    left to the host. With `report`, a remark compares the bytes that launches take
    with those that they have to: a result is written once, and read once by each
    launch of a chain in which one needs a result of the other. Ops that become
    launches have their `codegen.traffic` then.
  }];
  let options = [
    Option<"report", "report", "bool", /*default=*/"false",
           "Say what the launches of a step move, and have to move">,
    Option<"dimSize", "dim-size", "int64_t", /*default=*/"64",
           "What a symbolic size counts as in that, unless `dim-sizes` has its own">,
    ListOption<"dimSizes", "dim-sizes", "std::string",
               "The same for single sizes, by name: time=256">
  ];
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

def SortScatters : Pass<"flywheel-sort-scatters", "::mlir::func::FuncOp"> {
  let summary = "Sort the indices of scatters for many threads";
  let description = [{
    Before: `linalg_ext.scatter` on tensors. After: each of more than a few indices
    has an `order`, a `linalg_ext.argsort` of them in front of it: threads that
    start anywhere find equal indices by it, add up what belongs to one place in
    the order of the indices, and need no atomic operation. Sorts have no room for
    counts, which those of the device do not need. The initializer is left to the
    host.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::flywheel::linalg_ext::LinalgExtDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [Statistic<"numSorted", "sorted", "Scatters with an order">];
}

def IndexOnGPU : Pass<"flywheel-index-on-gpu", "::mlir::func::FuncOp"> {
  let summary = "Gather, scatter, sort, scan and factorize on the device";
  let description = [{
    Before: `linalg_ext` ops on buffers, which follow indices or what they have
    written before. After: they are launches, of which the host reads nothing.

     * A gather is a launch with a thread for each element of its result.
     * A sort is a launch in which each block sorts a tile of the indices in
       workgroup memory, and launches that merge tiles by binary searches, of
       which there are none for a short list.
     * A scatter with an `order`, sums of rows of one index, and updates of rows
       are a launch each with a thread for each element of the slices. A thread
       at the first of some equal indices goes over them: sums are those of a
       loop, bit for bit.
     * An update of `all` rows is a launch in which each block looks up the
       gradients of some rows of the tables.
     * A scatter without an order is a launch with a thread for each element of a
       slice, which goes over the indices.
     * A scan is a launch with a thread for each row, which goes over it as a loop
       does, where rows are short or many. Else the threads of a block share a
       row, or 32 that lie side by side: each goes over a run, in an order that
       depends on sizes alone. If the call chooses the sizes, the host chooses
       by them.
     * Cholesky factors are a launch in which a block has a matrix, and one that
       makes one flag of those of the blocks.
     * Triangular systems are a launch in which a block has up to 32 right-hand
       sides of a matrix.

    The initializer is left to the host.
  }];
  let dependentDialects = [
    "::flywheel::codegen::CodegenDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def DecideOnGPU : Pass<"flywheel-decide-on-gpu", "::mlir::ModuleOp"> {
  let summary = "Check on the device, and read there what launches need";
  let description = [{
    Before: kernels `F.kernel` whose structured ops are launches; the host reads
    elements of buffers for its checks and for arguments of launches. After: the
    host reads only the values by which it decides itself: the branch, the
    number of iterations, the size of a buffer. For a branch, and for each
    iteration that a condition decides, that is one number: if it takes several
    elements, a launch computes it. A launch reads its operands itself, or from
    memory to which a launch of one thread has written them; such a launch also
    stores the values that the host stored. A check is a
    launch of one thread that writes its status to a word of the device, unless
    one before it has failed. Launches behind it do nothing where the word is not
    0, and the host reads it once, when it waits for the device at the end, or
    before it decides something. It then computes what the message of the check
    names. Numbers of elements that loops and branches pass on, such as whether
    a check has held so far, are in slots of the device. A check that the host
    can decide without the device stays there.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
  let statistics = [Statistic<"numChecks", "checks", "Checks of the device">];
}

def JoinGPULaunches : Pass<"flywheel-join-gpu-launches", "::mlir::func::FuncOp"> {
  let summary = "Make one launch of launches of one block";
  let description = [{
    Before: launches. After: those of one block that follow each other, with
    nothing between them that uses memory, are one launch, whose threads wait for
    each other in between: a check and what it is of, scalars of an optimizer,
    joined results of parts. They share workgroup memory. Launches that count on
    different numbers of threads stay apart.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::scf::SCFDialect"
  ];
  let statistics = [Statistic<"numJoined", "joined", "Launches joined">];
}

def ExpandDeviceMath : Pass<"flywheel-expand-device-math", "::mlir::func::FuncOp"> {
  let summary = "Replace functions of numbers in launches by those that there are";
  let description = [{
    Before: `math` ops on numbers in launches, where no library is. After: those
    that `flywheel-expand-math` leaves to the C library are arithmetic: of f64 by
    pairs of numbers, with all that counts of 2 / pi for large angles, and of f32,
    where there is no polynomial of f32, in f64. Functions that it expands are
    left to it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def OutlineGPUKernels : Pass<"flywheel-outline-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "Move launches into one module of device code";
  let description = [{
    Before: `gpu.launch`. After: `gpu.launch_func` of kernels in one `gpu.module`,
    each named as its entry, the op of the source and its number. Constants and
    sizes that a kernel can compute itself are not arguments. A kernel with more
    than half of the workgroup memory has `nvvm.minctasm` 2: 128 registers a thread,
    rather than some that are spilled to have room for another block. With
    `report`, a remark says what each kernel reads, writes and computes.
  }];
  let options = [
    Option<"report", "report", "bool", /*default=*/"false",
           "Say what each kernel takes">
  ];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"
  ];
}

def LowerGPUKernels : Pass<"flywheel-lower-gpu-kernels", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower device code to the NVVM and LLVM dialects";
  let description = [{
    Before: `gpu.func`s of arithmetic, control flow and buffers. After: functions
    of the LLVM dialect with NVVM's intrinsics, or with those of AMD for a chip of
    theirs, which call nothing: no library of device code is needed. A function of numbers that has no expansion is an error
    at the op.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::ROCDL::ROCDLDialect"
  ];
}

def LowerGPULaunches : Pass<"flywheel-lower-gpu-launches", "::mlir::ModuleOp"> {
  let summary = "Embed device code, and make launches calls of the runtime";
  let description = [{
    Before: `gpu.launch_func` and a lowered `gpu.module`. After: the module's code
    is a constant of bytes, for the chip and in the form that the `codegen.target`
    of the module says, and launches are calls of the runtime. An object file has
    code for each chip, where there is an assembler, and PTX for later ones.

    If the assembler reports that a kernel spills registers on a chip, the
    kernel has more of them there, and in the PTX for later chips, as fewer
    blocks side by side leave them (`nvvm.minctasm`): those of two blocks where
    the assembler chose, and those of one where `flywheel-outline-gpu-kernels`
    or this asked for two.
  }];
  let options = [
    Option<"forObject", "for-object", "bool", "false",
           "Code for each chip, and PTX for later ones">,
    Option<"ptxas", "ptxas", "std::string", "",
           "The assembler of NVIDIA; without, there is PTX only">,
    Option<"lld", "lld", "std::string", "", "The linker for code of AMD">,
    Option<"report", "report", "bool", "false",
           "Say what registers each kernel uses and spills on each chip, where "
           "there is an assembler">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"
  ];
}

#endif // FLYWHEEL_CODEGEN_GPU_GPUPASSES
