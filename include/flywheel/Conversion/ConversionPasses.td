//===- ConversionPasses.td - Passes of Conversion ----------*- tablegen -*-===//
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
    `tensor.splat`, with any static or dynamic shapes. After: none of these;
    `linalg` on tensors, `tensor`, and scalar `arith` and `math` in their place.
    Parts that two ops share (the row maxima, exponentials and sums of a loss
    and of the softmax of its gradient) are emitted identically, so that CSE
    merges them.

    Products, sums, means and softmax of f16 and bf16 are computed in f32 and
    rounded once. A requirement that only a running step can decide becomes a
    check at the op's location: labels are in [0, classes), and dimension
    sizes that an op requires to be equal are equal, where neither the types nor
    the producers prove it. No buffer is read out of bounds, whatever the labels
    are.

    Refuses, with a diagnostic at the op, element types other than f16, bf16,
    f32, f64 and signless integers, and tensors with an encoding.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::flywheel::linalg_ext::LinalgExtDialect"
  ];
}

def ConvertRowUpdatesToLinalg : Pass<"convert-row-updates-to-linalg"> {
  let summary = "Lower optimizer updates along rows of a table";
  let description = [{
    Before: optimizer updates and sums over gradients, in value semantics. After:
    those whose gradient is zero but for the rows that indices name (an
    `nn.scatter_add` to zeros, what a gather along axis 0 has as its derivative;
    sums of such gradients; functions of one that are zero where it is) work on
    the rows. The rows of one index are added up in the order in which they come
    (`linalg_ext.combine_rows`), and an update is a `linalg_ext.update_rows`,
    whose destinations are the parameter and its slots. The gradient as a whole
    is erased where nothing else needs it.

    An update says what becomes of rows without a gradient: where
    `leavesStateWithoutGradient` holds, or the update has `train.lazy`, they are
    left alone, otherwise updated as along zeros. A constraint is applied to each
    row that is updated, where it takes elements or rows one by one, and to all
    of the parameter if that may change others, unless the update is lazy.

    A gradient of a table with few elements, or of more than a quarter of its
    rows, stays dense, but for a lazy update.
  }];
  let options = [Option<"minElements", "min-elements", "int64_t",
                        /*default=*/"65536",
                        "Elements of the smallest table whose gradient is rows">];
  let statistics = [
    Statistic<"numUpdates", "num-updates", "Updates along rows">,
    Statistic<"numReductions", "num-reductions", "Sums over rows">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect",
    "::flywheel::linalg_ext::LinalgExtDialect", "::flywheel::nn::NNDialect",
    "::flywheel::train::TrainDialect"
  ];
}

def ConvertTrainUpdatesToLinalg : Pass<"convert-train-updates-to-linalg"> {
  let summary = "Lower optimizer updates to destination-style linalg";
  let description = [{
    Before: optimizer updates in value semantics (`train.update`, any op with
    `OptimizerUpdateOpInterface`). After: none; each is one
    `linalg.generic` with a result for the parameter and one for each slot,
    whose destinations are the old parameter and slots. So bufferization updates
    them in place, and the producer of the gradient can be fused into the loop
    nest. A `train.project` of the new parameter is in the body of that op where
    it is elementwise; otherwise it is a sum of squares along its axis, a factor
    for each sum, and an op that scales the parameter with the parameter as its
    destination.

    Refuses nothing that verifies.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect"
  ];
}

def VerifySupportedOps : Pass<"flywheel-verify-supported-ops", "::mlir::ModuleOp"> {
  let summary = "Refuse ops and types that have no lowering";
  let description = [{
    Before: the module that a user wrote. After: the same module.

    Refuses, with a diagnostic at the op: ops of other dialects than arith,
    math, tensor, linalg, tosa, scf, func, nn and train that implement neither
    `LowerableOpInterface` nor `CompositeOpInterface`; single ops of those
    (docs/OpSupport.md); types other than ranked tensors and elements of f16,
    bf16, f32, f64, index and integers of 1, 8, 16, 32 or 64 bits; and ops at
    the top level of the module that belong in a function. Functions that no
    entry calls may hold anything.
  }];
  let options = [ListOption<"entries", "entries", "std::string",
                            "Entries that are kept; by default all">];
}

def ConvertTosa : Pass<"flywheel-convert-tosa", "::mlir::ModuleOp"> {
  let summary = "Lower tosa ops to ops that have derivative rules";
  let description = [{
    Before: `tosa` ops on ranked tensors, anywhere. After: none. Elementwise
    ops, reductions and floating-point products are `arith`, `math` and `nn` ops
    on tensors: a dimension is broadcast where its size is 1 by its type, and
    dynamic sizes are checked to be equal. Convolutions, pools, reshapes, casts
    and control flow become `linalg`, `tensor` and `scf` ops by upstream's
    conversions. The pass runs before autodiff, which differentiates the result.

    Refuses, with a diagnostic at the op, types and attributes that upstream has
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

def NormalizeBooleans : Pass<"flywheel-normalize-booleans"> {
  let summary = "Read every nonzero byte as true";
  let description = [{
    Before: the LLVM dialect, where a boolean in memory is a byte. After: a load
    of a boolean is a load of a byte and a comparison with zero. So any nonzero
    byte, of a feed or of a variable that a caller wrote, is true, in every
    lowering.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def FlushArguments : Pass<"flywheel-flush-arguments", "::mlir::func::FuncOp"> {
  let summary = "Replace denormal arguments of math functions by zero";
  let description = [{
    Before: `math` ops on scalars and vectors that become calls of the C
    library, in a step that flushes denormal numbers. After: an argument that is
    denormal is replaced by the zero of its sign. The library splits such a
    number by its bits and normalizes it by a multiplication, which gives zero
    in such a step.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def CallLibm : Pass<"flywheel-call-libm", "::mlir::ModuleOp"> {
  let summary = "Lower math ops to calls of the C library";
  let description = [{
    Before: `math` ops on scalars and vectors. After: no `math.log1p` and no
    `math.expm1`: each is one call of the C library for each element. Upstream's
    lowering to LLVM would compute log(1 + x) and exp(x) - 1, which lose every
    digit near 0, where these two functions are needed. With `all`, no `math` op
    is left, as by upstream's `convert-math-to-libm`; a module that has none is
    not converted, which takes as long as if every op were one.
  }];
  let options = [Option<"all", "all", "bool", "false",
                        "Lower every op of the dialect">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ExpandNarrowing
    : Pass<"flywheel-expand-narrowing", "::mlir::func::FuncOp"> {
  let summary = "Compute with bf16 without library calls";
  let description = [{
    Before: arithmetic on bf16. After: arithmetic on f32, with a rounding after
    every op; no conversion may be folded with the next one. An `arith.truncf`
    from f64 to f16 or bf16 is one to f32 that rounds to odd, and one from
    there: the result is that of one rounding to nearest even. A splat of a bf16
    is one of its bits. LLVM would call functions that older compiler runtimes
    lack.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LegalizeExpandShape
    : Pass<"flywheel-legalize-expand-shape", "::mlir::func::FuncOp"> {
  let summary = "Lower memref.expand_shape with several dynamic sizes to strides";
  let description = [{
    Before: buffers. After: no `memref.expand_shape` splits a dimension into
    several dynamic ones, whose sizes upstream's lowering can only compute by
    division. Such an op is a `memref.reinterpret_cast` with the sizes that the
    op has as operands.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def LegalizeMaskedAccess : Pass<"flywheel-legalize-masked-access"> {
  let summary = "Load and store 16-bit floats under a mask as integers";
  let description = [{
    Before: masked loads and stores of vectors of f16 and bf16, in the LLVM
    dialect. After: masked loads and stores of vectors of i16, with bitcasts.
    If a CPU has no such instruction, LLVM splits the vector into elements, and
    would convert each to f32 and back, with a function that older compiler
    runtimes lack.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // FLYWHEEL_CONVERSION_PASSES
