//===- BufferizationPasses.td - Passes around bufferization -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_BUFFERIZATION_BUFFERIZATIONPASSES
#define FLYWHEEL_TRANSFORMS_BUFFERIZATION_BUFFERIZATIONPASSES

include "mlir/Pass/PassBase.td"

def FoldZeroSizeTensors
    : Pass<"flywheel-fold-zero-size-tensors", "::mlir::func::FuncOp"> {
  let summary = "Remove what is done to tensors without elements";
  let description = [{
    Before: `linalg` on tensors. After: a tensor with a static dimension size 0
    is an argument or a `tensor.empty`, and is not collapsed, inserted,
    concatenated or padded: upstream's lowerings of these do not expect one. An
    op with side effects stays. Refuses nothing.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def WidenI1Tensors
    : Pass<"flywheel-widen-i1-tensors", "::mlir::func::FuncOp"> {
  let summary = "Store masks as bytes, which vectors can load";
  let description = [{
    Before: fused `linalg` on tensors. After: a tensor of i1 that a
    `linalg.generic` computes and only such ops read is a tensor of i8 with
    elements 0 and 1. Both take one byte of memory for each element, but a
    vector of i1 is packed bits: only bytes are loaded and stored as vectors.
    Results, feeds and variables keep their type.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def MaterializeSplats
    : Pass<"flywheel-materialize-splats", "::mlir::func::FuncOp"> {
  let summary = "Fill splat constants where they are used";
  let description = [{
    Before: `linalg` on tensors. After: no splat constant has more than 64
    bytes: it would take as many bytes of the object file. A `linalg.generic`
    uses the scalar itself. Any other op gets a tensor that is filled in front
    of it, or in front of the loops around it where the op only reads it.
    Refuses nothing.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numFilled", "filled", "Tensors filled in place of a constant">
  ];
}

def CloneSharedInits : Pass<"flywheel-clone-shared-inits", "::mlir::func::FuncOp"> {
  let summary = "Give each destination its own initial value";
  let description = [{
    Before: several ops and loops may share one `tensor.empty` or filled tensor
    as destination, as CSE leaves them. After: each has its own, so that
    bufferization copies none for being overwritten twice, and no two values
    share a buffer that would be live from the first to the last of them.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def EliminateEmptyTensors : Pass<"flywheel-eliminate-empty-tensors", "::mlir::ModuleOp"> {
  let summary = "Compute a value where it is stored";
  let description = [{
    Before: values are computed in an empty tensor and then stored or inserted
    somewhere. After: they are computed there, where that is in the
    block of the op that computes: what is computed whether or not a branch is
    taken is not computed in what the branch writes. Joins of joins along one
    dimension are one join. Chains of more than 16 insertions are one
    `linalg_ext.insert_slices`; so is each 16th of insertions of results of
    insertions.
  }];
  let dependentDialects = [
    "::flywheel::linalg_ext::LinalgExtDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def NormalizeSlices : Pass<"flywheel-normalize-slices", "::mlir::func::FuncOp"> {
  let summary = "Set the strides of slices of one position to 1";
  let description = [{
    Before: `tensor.extract_slice` and `tensor.insert_slice`. After: where a slice
    takes one position of a dimension, its stride there is 1. The strides of its
    type tell the dimensions that a slice of a buffer leaves out; any other stride
    of one position would change them.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def ReadInsertedSlices
    : Pass<"flywheel-read-inserted-slices", "::mlir::func::FuncOp"> {
  let summary = "Read a part of a tensor where it is inserted";
  let description = [{
    Before: a step on tensors, right before bufferization: canonicalization would
    undo what this pass does. After: where a part of a tensor is computed in its
    place and has other readers, it is inserted at once, and the readers read the
    slice of the whole tensor. One-shot bufferization would not see that a reader
    of the part behind the insertion finds the same elements, and would copy.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let statistics = [Statistic<"numRead", "read", "Parts read in their place">];
}

def LoadElements : Pass<"flywheel-load-elements", "::mlir::func::FuncOp"> {
  let summary = "Load single elements of what a step does not write";
  let description = [{
    Before: `tensor.extract` of arguments of the function. After: what it does
    not write (`bufferization.writable = false`: a feed, the list of variables to
    initialise) is read as a buffer. Bufferization compares every read of a
    tensor with every other: with one read for each of thousands of variables,
    that would take longer than all the rest.
  }];
  let statistics = [
    Statistic<"numLoaded", "loaded", "Elements loaded">
  ];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def OrderConstants : Pass<"flywheel-order-constants", "::mlir::ModuleOp"> {
  let summary = "Put constants in the order of their uses";
  let description = [{
    Before: a bufferized module. Upstream visits functions in an order that is
    another one in each run, and so are the order and the numbers of the
    constants (`__constant_4xf32_0`) that it adds to the module. After: they are
    in the order of their first uses, and are numbered so: equal modules give
    equal objects.
  }];
}

#endif // FLYWHEEL_TRANSFORMS_BUFFERIZATION_BUFFERIZATIONPASSES
