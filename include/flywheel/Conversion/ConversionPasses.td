//===- ConversionPasses.td - Passes of Conversion ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CONVERSION_PASSES
#define FLYWHEEL_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertNNToLinalg : Pass<"convert-nn-to-linalg"> {
  let summary = "Lower nn ops and elementwise ops on tensors to linalg";
  let description = [{
    Before: `nn` ops, elementwise `arith` and `math` ops on ranked tensors and
    `tensor.splat`, with any static or dynamic shapes. After: `linalg` on
    tensors, `tensor`, and scalar `arith` and `math`; none of the former is
    left. Parts that two ops share (the row maxima, exponentials and sums of a
    loss and of the softmax of its gradient) are emitted alike, so that CSE
    merges them.

    Products, sums, means and softmax of f16 and bf16 are computed in f32 and
    rounded once. What can only be known when a step runs becomes a `cf.assert`
    at the op's location: labels within [0, classes), and equality of extents
    that an op requires to be equal where neither the types nor the producers
    prove it. No buffer is read out of bounds whatever the labels are.

    Refused with a diagnostic at the op: element types other than f16, bf16,
    f32, f64 and signless integers, and tensors with an encoding.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::flywheel::linalg_ext::LinalgExtDialect"
  ];
}

def ConvertTrainUpdatesToLinalg : Pass<"convert-train-updates-to-linalg"> {
  let summary = "Lower optimizer updates to destination-style linalg";
  let description = [{
    Before: optimizer updates in value semantics (`train.sgd`, `train.adam`, any
    op with `OptimizerUpdateOpInterface`). After: each is one `linalg.generic`
    with a result for the parameter and one for each slot, whose destinations
    are the old parameter and slots: bufferization updates them in place, and
    the producer of the gradient can be fused into its loops. `train.project` of
    the new parameter is part of that op where it needs one element at a time;
    otherwise it is a sum of squares along its axis, a factor for each, and an op
    that scales the parameter as its destination. No update or projection is
    left; the pass accepts every one that verifies.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect"
  ];
}

def VerifySupportedOps : Pass<"flywheel-verify-supported-ops", "::mlir::ModuleOp"> {
  let summary = "Refuse ops and types that have no lowering";
  let description = [{
    Before: the module that a user wrote. After: the same. Refused with a
    diagnostic at the op: ops of other dialects than arith, math, tensor,
    linalg, tosa, scf, func, nn and train, single ops of those
    (docs/OpSupport.md), types other than ranked tensors and elements of f16,
    bf16, f32, f64, index and integers of 1, 8, 16, 32 or 64 bits, and ops
    beside functions that belong in one. Functions that no entry calls may hold
    anything.
  }];
  let options = [ListOption<"entries", "entries", "std::string",
                            "Entries that are kept; by default all">];
}

def ConvertTosa : Pass<"flywheel-convert-tosa", "::mlir::ModuleOp"> {
  let summary = "Lower tosa ops to ops that have derivative rules";
  let description = [{
    Before: `tosa` ops on ranked tensors, anywhere. After: none. Elementwise
    ops, reductions and floating-point products are `arith`, `math` and `nn` ops
    on tensors: a dimension size of 1 stretches where it is 1 by its type, and
    dynamic sizes are checked to be equal. The rest, convolutions, pools,
    reshapes, casts and control flow, becomes `linalg`, `tensor` and `scf` by
    upstream's conversions. Before autodiff: gradients go through.

    Refused with a diagnostic at the op: types and attributes that upstream has
    no lowering for.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::index::IndexDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::flywheel::nn::NNDialect"
  ];
  let statistics = [Statistic<"numLowered", "num-lowered",
                              "Ops that became ops on tensors here">];
}

def TestListOpSupport : Pass<"test-list-op-support"> {
  let summary = "Print every op of the upstream dialects and why it is refused";
  let description = [{
    A line for each op of arith, linalg, math, tensor and tosa: its name, a
    tab, and what is expected in its place where it has no lowering. Changes
    nothing.
  }];
}

def NormalizeBooleans : Pass<"flywheel-normalize-booleans"> {
  let summary = "Read every byte but zero as true";
  let description = [{
    Before: the LLVM dialect, where memory has a byte for each boolean. After: a
    boolean that is loaded is a byte that is compared with zero: any other byte
    than 0, of a feed or of a variable that a caller wrote, is true, in every
    lowering.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def FlushArguments : Pass<"flywheel-flush-arguments", "::mlir::func::FuncOp"> {
  let summary = "Make denormal arguments of functions zero";
  let description = [{
    Before: math ops on numbers and vectors that become calls of the C library,
    in a step that flushes denormal numbers. After: an argument that is denormal
    is the zero of its sign. The library takes such numbers apart by their bits
    and normalizes them by products, which are zero in such a step.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def CallLibm : Pass<"flywheel-call-libm", "::mlir::ModuleOp"> {
  let summary = "Leave log1p and expm1 to the C library";
  let description = [{
    Before: `math` ops on scalars and vectors. After: no `math.log1p` and no
    `math.expm1`: each is a call of the C library an element. Upstream's
    lowering to LLVM would compute log(1 + x) and exp(x) - 1, which lose every
    digit near 0: what the two functions are for.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ExpandNarrowing
    : Pass<"flywheel-expand-narrowing", "::mlir::func::FuncOp"> {
  let summary = "Compute with bf16 without library calls";
  let description = [{
    Before: arithmetic of bf16. After: it is that of f32, rounded after every op:
    none of the conversions may be folded with the next one.
    `arith.truncf` from f64 to f16 or bf16 has become one to f32 that rounds to
    odd, and one from there: the result is that of rounding once, to nearest even.
    One bf16 is repeated by its bits. LLVM would call functions that older
    compiler runtimes lack.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LegalizeExpandShape
    : Pass<"flywheel-legalize-expand-shape", "::mlir::func::FuncOp"> {
  let summary = "Split extents into several dynamic ones by strides";
  let description = [{
    Before: buffers. After: no `memref.expand_shape` splits an extent into
    several dynamic ones: upstream's lowering knows sizes only by division. Such
    an op is a `memref.reinterpret_cast` with the sizes that it was given.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def LegalizeMaskedAccess
    : Pass<"flywheel-legalize-masked-access", "::mlir::ModuleOp"> {
  let summary = "Load and store 16-bit floats under a mask as integers";
  let description = [{
    Before: masked loads and stores of vectors of f16 and bf16, in the LLVM
    dialect. After: they are those of i16, with bitcasts. Where a CPU has no such
    instruction, LLVM takes the vector apart, and would convert each element to
    f32 and back, with a function that older compiler runtimes lack.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // FLYWHEEL_CONVERSION_PASSES
