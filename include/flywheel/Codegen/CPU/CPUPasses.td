//===- CPUPasses.td - Passes that write CPU kernels --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_CPU_CPUPASSES
#define FLYWHEEL_CODEGEN_CPU_CPUPASSES

include "mlir/Pass/PassBase.td"

def ChooseSchedules : Pass<"flywheel-choose-schedules", "::mlir::func::FuncOp"> {
  let summary = "Choose how each structured op is computed";
  let description = [{
    Before: structured ops in a module with a `codegen.target`. After: on tensors,
    each contraction that reads its inputs more than once has a
    `codegen.schedule`, which says in which tiles it and its epilogue are computed;
    on buffers, every structured op has one. An op that has one keeps it, so that
    a person can choose. One that does not fit its op is replaced, with a warning.

    Refuses a module without a target.
  }];
  let dependentDialects = ["::flywheel::codegen::CodegenDialect"];
  let statistics = [Statistic<"numChosen", "chosen", "Schedules chosen">];
}

def CountContractions
    : Pass<"flywheel-count-contractions", "::mlir::func::FuncOp"> {
  let summary = "Count the contractions of a step while they are whole";
  let description = [{
    Before: structured ops. After: the same; `codegen.contractions` of the function
    says how many of them sum products of inputs that are read again and again, if
    any: `flywheel-report-contractions` says it.
  }];
  let dependentDialects = ["::flywheel::codegen::CodegenDialect"];
}

def ReportContractions
    : Pass<"flywheel-report-contractions", "::mlir::ModuleOp"> {
  let summary = "Say how many contractions have their output in registers";
  let description = [{
    Before: structured ops on buffers, each with a `codegen.schedule`, and functions
    with `codegen.contractions`. After: the same, without `codegen.contractions`. A
    remark for each of these functions says how many contractions a call of it
    computes, and how many of them are computed with their output in registers
    (`#codegen.fma`) where not all are. Kernels that it calls are looked into. The
    reason why one is not is in a remark of `flywheel-choose-schedules`.
  }];
}

def ConvertConvToWinograd
    : Pass<"flywheel-convert-conv-to-winograd", "::mlir::func::FuncOp"> {
  let summary = "Compute 3 x 3 convolutions by Winograd's method";
  let description = [{
    Before: fused `linalg` on tensors, in a module with a `codegen.target`. After: a
    convolution of f32 or f64 with a filter of 3 x 3, stride 1 and known height and
    width that takes less time so is computed in tiles of m x m outputs, m = 2 or
    4, with (m + 2)^2 multiplications for each channel and output instead of 9 m^2.
    Its filter is transformed before the loop. An `scf.forall` over blocks of
    tiles transforms their inputs, multiplies them in (m + 2)^2 products of
    matrices and transforms the products, and computes the elementwise op (bias,
    activation) that alone uses the result. Transforms are products with small
    constant matrices, so that each of these ops gets a kernel with its output
    in registers, and their intermediate values stay in the second cache. If
    images end before their last tiles do, zeros are read and outputs are left
    out.

    It is a choice of m and of not converting at all by estimates of time: the
    multiply-adds of each, and for each tile and channel what transforms take.
    Results differ from those of the direct sum by rounding, see
    docs/Precision.md. Leaves all other convolutions: other sizes, strides,
    dilations, groups, types, and the gradient of a filter.
  }];
  let options = [
    Option<"tile", "tile", "int64_t", /*default=*/"0",
           "Outputs of a tile in each dimension, 2 or 4; by default those that take the least time">,
    Option<"report", "report", "bool", /*default=*/"false",
           "Say by remarks how each such convolution is computed">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numConverted", "converted", "Convolutions converted">
  ];
}

def TileAndFuse : Pass<"flywheel-tile-and-fuse", "::mlir::func::FuncOp"> {
  let summary = "Compute a contraction and its epilogue tile by tile";
  let description = [{
    Before: `linalg` on tensors, where contractions have a `codegen.schedule`.
    After: each scheduled contraction is computed in the tiles of its schedule, in
    one `scf.forall` for each level. The elementwise op (bias, activation,
    optimizer update) that alone uses its result is computed with it, tile by
    tile. If the schedule says so, the outermost level packs the part of the
    right-hand side that its tile reads. An op that reads the old value of its
    destination, element for element, reads it from the destination. The tile of
    a contraction keeps the part of the schedule that is about registers: it is
    not tiled again.

    A tile reads one slice of each operand, from its first iteration to its last
    one. So operands have to be indexed by sums of loops, times constants that are
    not negative: an elementwise op with another indexing map is computed behind
    the tiles, and a contraction with one cannot have tiles.

    An elementwise op that keeps a triangle of the product (`nn.triangle`, the
    start of `nn.cholesky`) does not use the tiles outside of it: these are not
    computed. For the factor of J^T J, half of the tiles are left, and those of
    the border.

    If little is computed twice, the last tile of a loop overlaps the one before
    (`codegen.overlap`), so that it is whole and has no kernel of its own. An
    update of its own destination overlaps along vectors only.
  }];
  let dependentDialects = [
    "::flywheel::codegen::CodegenDialect",
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"workers", "workers", "int64_t", /*default=*/"1",
           "How many workers may share the tiles: tiles overlap only where each "
           "has two">
  ];
  let statistics = [
    Statistic<"numFused", "fused", "Contractions fused with an epilogue">,
    Statistic<"numPacked", "packed", "Operands packed into panels">
  ];
}

def ForallToFor : Pass<"flywheel-forall-to-for", "::mlir::func::FuncOp"> {
  let summary = "Compute tiles one after the other";
  let description = [{
    Before: groups of tiles as `scf.forall`s on tensors. After: each is a nest of
    `scf.for`, in the same order. Loops are peeled, so that full tiles have static
    sizes; along a loop of `codegen.overlap` the last tile is moved back instead,
    and what is an update of its destination keeps what the tile before has
    written. This is the serial back end of tiles.

    Refuses an iteration that reads of an output what another one writes: one after
    the other, it would find the new value.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [Statistic<"numConverted", "converted", "Loops converted">];
}

def CSEGroups : Pass<"flywheel-cse-groups", "::mlir::func::FuncOp"> {
  let summary = "Eliminate common subexpressions inside of each group";
  let description = [{
    Before: groups as loops on tensors. After: no op inside of a loop of the
    function is there twice. MLIR's `cse` also compares the loops with each other.
    Those of layers have equal operands (sizes, and one empty tensor as the
    destination of all), so that each is compared with all before it, op by op,
    which takes quadratic time.
  }];
}

def VectorizeKernels : Pass<"flywheel-vectorize-kernels", "::mlir::func::FuncOp"> {
  let summary = "Lower structured ops on buffers to vector loops";
  let description = [{
    Before: `linalg` ops on memrefs, each with a `codegen.schedule`. After: loops
    over `vector` ops (and scalar loops where the schedule says so); no `linalg`
    op is left.

    Contractions of floats (matmul in every transposition, batched, or as a
    direct convolution) keep a tile of the output in vector registers over the
    whole reduction; a `linalg.fill` of the output right before is absorbed (the
    same SSA value: run CSE first). The operands of an elementwise op right
    after are prefetched, and so are elements that are copied next to where the
    tiles of an inner loop read one operand.
    Other ops are vectorized along one loop, be it parallel or a reduction; float
    reductions are then reassociated. Tails are masked. Ops without a vector form,
    such as those with control flow in their body, become scalar loops.

    An input may be the same memory as an output only if both are accessed
    through the same indexing map, which is what one-shot bufferization makes.

    Refuses: structured ops on tensors or without a schedule that fits, and ops of
    the dialect that are not structured ops, such as `linalg.pack`.
  }];
  let statistics = [
    Statistic<"numContractions", "contractions",
              "Ops lowered to register-tiled contraction kernels">,
    Statistic<"numElementwise", "elementwise",
              "Ops lowered to loops over vectors">,
    Statistic<"numScalar", "scalar", "Ops lowered to scalar loops">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::flywheel::codegen::CodegenDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::x86vector::X86VectorDialect"
  ];
}

#endif // FLYWHEEL_CODEGEN_CPU_CPUPASSES
