//===- CodegenCommonPasses.td - Passes of every back end ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_COMMON_CODEGENCOMMONPASSES
#define FLYWHEEL_CODEGEN_COMMON_CODEGENCOMMONPASSES

include "mlir/Pass/PassBase.td"

def LowerCopies : Pass<"flywheel-lower-copies", "::mlir::func::FuncOp"> {
  let summary = "Make copies of strided buffers structured ops";
  let description = [{
    Before: `memref.copy` of any layout. After: only of contiguous buffers, which
    is one `memcpy`; the others are `linalg.copy` and become loops. Upstream would
    call a function of MLIR's runner library, which an object file does not have.
    A copy of booleans is a `linalg.copy` too: what it stores for a true one is 1,
    whatever byte it reads.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def LowerLinalgExt : Pass<"flywheel-lower-linalg-ext", "::mlir::func::FuncOp"> {
  let summary = "Make loops of linalg_ext ops";
  let description = [{
    Before: `linalg_ext` ops on buffers. After: none is left but
    `linalg_ext.host_call`, which is not a loop. Loops go over what
    decides where an op reads and writes (indices, the dimension of a sum, the
    rows of a triangle); inside of them `linalg` ops work on whole slices. A
    slice at an index out of range is not accessed.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def LowerHostCalls : Pass<"flywheel-lower-host-calls", "::mlir::ModuleOp"> {
  let summary = "Make calls of the runtime of linalg_ext.host_call";
  let description = [{
    Before: `linalg_ext.host_call` on buffers. After: each writes a table, on the
    stack, of its site and of the addresses, sizes and strides of its buffers,
    and calls `flywheel_host_call` of the runtime with it, which returns the next
    status. The module declares this function.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def DropUnitDims : Pass<"flywheel-drop-unit-dims", "::mlir::func::FuncOp"> {
  let summary = "Drop loops of one iteration from structured ops on buffers";
  let description = [{
    Before: `linalg.generic` on buffers. After: without the loops whose size is
    statically 1, on buffers without these dimensions. So a column of a matrix, or
    an image of one channel, is a vector: elements that are next to each other in
    memory are along the last dimension. Ops that have a schedule keep the loops
    that it is for.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def CollapseCopies : Pass<"flywheel-collapse-copies", "::mlir::func::FuncOp"> {
  let summary = "Join the dimensions of copies that are one in memory";
  let description = [{
    Before: `linalg.copy` of buffers. After: of as few dimensions as the memory of
    both buffers has. The middle of a padded image of three channels is copied in
    whole rows of pixels, not in threes. Copies that have a schedule stay as they
    are.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numCollapsed", "collapsed", "Copies of fewer dimensions">];
}

def OutlineKernels : Pass<"flywheel-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Move each fused group into a function of its own";
  let description = [{
    Before: kernels `F.kernel` whose bodies are loop nests and structured ops on
    buffers. After: each tiled loop nest, each reduction, and each elementwise
    op that computes more than a few sums is a private function that its entry
    calls, together with the index arithmetic and the stack slots that it alone
    uses, and the fill of what a reduction adds to; where its buffers are in
    the workspace is an argument. Its name, as
    `train_step.dense_grad.64x128.14`, has the entry, the op of the source that
    takes most (`_grad` where that is of a derivative), the shape of what is
    written (`N` for a dynamic size, nothing for a number) and its number in the
    entry: profilers and debuggers show it.
    Equal computations (the layers of a net, the initial values of variables of
    one shape and distribution, the forward part of a train step and of an
    evaluation) then have equal functions, of which
    `duplicate-function-elimination` leaves the first to compile. Kernels are
    found
    inside branches and while loops as well. Elementwise ops that eight sizes or
    more have (the updates of many small variables) become ops on one dimension
    of dynamic size first, and then one function.
  }];
  let statistics = [
    Statistic<"numKernels", "kernels", "Functions made">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::func::FuncDialect"
  ];
}

def SplitSteps : Pass<"flywheel-split-steps", "::mlir::ModuleOp"> {
  let summary = "Divide long functions into parts of bounded length";
  let description = [{
    Before: steps that call kernels, with branches and loops on buffers. After: a
    function of more than twice `max-ops` ops calls private functions,
    `train_step.part`, of at most `max-ops` each, where one op is not larger. Ops
    without results move to a part, in their order; constants and views are copied
    to it, and other values are its arguments. An op that reads memory for
    others, or uses a stack slot, stays. Passes of LLVM take more than linear
    time for long functions, and one thread generates the code of a function.
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", /*default=*/"1000",
           "Most ops of a part, with those inside of loops and branches">
  ];
  let statistics = [Statistic<"numParts", "parts", "Functions made">];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def LegalizeMath : Pass<"flywheel-legalize-math", "::mlir::func::FuncOp"> {
  let summary = "Rewrite math ops that LLVM has no form of";
  let description = [{
    Before: `math` ops on scalars in the bodies of structured ops. After: no
    `math.clampf` (a maximum and a minimum), no scalar `math.fpowi` (a
    `math.powf`), no `math.ipowi` (products), no `math.isfinite`, `math.isinf`,
    `math.isnan` and `math.isnormal` (comparisons), no `math.sincos` (a
    `math.sin` and a `math.cos`), and no `math.fma` and `math.rsqrt` of 16-bit
    numbers (arithmetic of f64 and f32 that is rounded once).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LegalizeConversions
    : Pass<"flywheel-legalize-conversions", "::mlir::func::FuncOp"> {
  let summary = "Give conversions of integers and numbers one result each";
  let description = [{
    Before: `arith.fptosi` and `arith.fptoui` of scalars and vectors, of any
    number. After: only of numbers whose integer part is in the range of the
    integer type. One above it becomes the highest integer, one below it the
    lowest, and a NaN becomes 0. Out of range LLVM's result is poison, which
    differs between processors, between scalars and vectors, and in what is
    folded. This runs before functions become polynomials, whose conversions are
    in range.

    An `arith.sitofp` or `arith.uitofp` of 32 or 64 bits to bf16, which LLVM
    rounds to f32 first, is one to f64 that loses nothing a rounding needs, and an
    `arith.truncf`: the result is that of one rounding.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandMath : Pass<"flywheel-expand-math", "::mlir::func::FuncOp"> {
  let summary = "Replace transcendental functions by polynomials";
  let description = [{
    Before: `math` ops on scalars and vectors. After: those of f32 and narrower
    types that upstream has an accurate polynomial for (exp, log, tanh, erf, ...)
    are arithmetic that vectorizes. So are `math.atan`, `math.atan2` and
    `math.erfc`, by polynomials of our own, and sines and cosines of vectors as
    long as no argument is larger than 65536. `math.exp`, `math.expm1`,
    `math.log` and `math.tanh` of f64 are too where the target has multiply-adds.
    Other functions of f64 are left for the C library, and so are those larger
    arguments.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // FLYWHEEL_CODEGEN_COMMON_CODEGENCOMMONPASSES
