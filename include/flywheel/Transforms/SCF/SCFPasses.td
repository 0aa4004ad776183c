//===- SCFPasses.td - Passes on scf control flow -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_SCF_SCFPASSES
#define FLYWHEEL_TRANSFORMS_SCF_SCFPASSES

include "mlir/Pass/PassBase.td"

def BatchLoopProducts : Pass<"flywheel-batch-loop-products", "::mlir::func::FuncOp"> {
  let summary = "Compute products of all iterations of a loop as one";
  let description = [{
    Before: `nn.dense` and `nn.matmul` in the body of an `scf.for` by steps of 1
    whose bounds are constants, and whose products or other results depend on
    floating-point numbers of the iteration before. After: of these products, none is in the loop

    * whose rows are slices of a tensor from outside, one for each iteration, and
      whose matrix is from outside: it is computed of the whole tensor in front
      of the loop;
    * whose rows an earlier loop kept, if that has computed the product: it keeps
      it too;
    * which the iterations only sum (a^T b of rows that each of them has, such as
      the gradient of a matrix; then their rows are summed there too), or add to
      slices of a tensor: it is computed of all of them behind the loop, which
      keeps what it is computed from.

    So the products of a recurrent network and of its reverse that do not depend
    on the iteration before are made of all rows at once, none is computed
    again, and the gradient of a matrix is computed where its update is. Sums
    have another order than in the loop. Products of at least 512 rows an
    iteration gain nothing, and stay; so do those for which a tensor of more than
    `max-bytes` would be kept. With `recompute`, products of rows that an earlier
    loop kept stay where they are, which takes less memory and changes no bits.
    Elementwise ops on what is from outside are moved in front of the loop.

    A loop whose iterations do not depend on each other stays as it is: that it
    is one, as for parts of a batch, is for the memory that one iteration takes.
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "int64_t(1) << 28",
           "Bytes that a tensor for all iterations may have">,
    Option<"recompute", "recompute", "bool", "false",
           "Compute what an earlier loop computed again, instead of keeping it">
  ];
  let dependentDialects = [
    "::flywheel::nn::NNDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def LowerControlFlow : Pass<"flywheel-lower-control-flow", "::mlir::func::FuncOp"> {
  let summary = "Lower structured control flow to branches between blocks";
  let description = [{
    Before: ops of the scf dialect. After: branches between blocks, as
    `convert-scf-to-cf` makes them, in time that is linear in the number of ops.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

def LowerSwitches : Pass<"flywheel-lower-switches", "::mlir::func::FuncOp"> {
  let summary = "Lower scf.index_switch to scf.if";
  let description = [{
    Before: any `scf.index_switch`. After: an `scf.if` for each case, each in
    the else region of the previous one; the innermost else region is the
    default. So everything that handles branches handles switches: gradients,
    assignments, checks.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def NormalizeLoopIndices : Pass<"flywheel-normalize-loop-indices", "::mlir::func::FuncOp"> {
  let summary = "Make scf.for count with a signed index";
  let description = [{
    Before: any `scf.for`. After: the induction variable of each is an index
    with signed comparison. A loop over another integer type has its bounds
    extended, and its body casts the induction variable back. An unsigned loop
    over 64 bits counts from 0 to its trip count, behind a check that its
    step is not 0; `flywheel-check-sizes` checks that any other step is at least
    1.

    Refuses integers of more than 64 bits, and constant steps below 1.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::flywheel::linalg_ext::LinalgExtDialect"
  ];
}

#endif // FLYWHEEL_TRANSFORMS_SCF_SCFPASSES
