//===- TrainPasses.td - Passes of the train dialect --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINPASSES
#define FLYWHEEL_DIALECT_TRAIN_TRAINPASSES

include "mlir/Pass/PassBase.td"

def MaterializeInitializers
    : Pass<"train-materialize-initializers", "::mlir::ModuleOp"> {
  let summary = "Make the function that initialises every variable";
  let description = [{
    Before: variables carry initializers. After: a public function `init` with
    the feeds `seed` and `run` (scalar i64) assigns every variable; draws are a
    function of (seed, op seed or variable name, run, element). A module without
    variables is left alone. Refuses a module that defines `init` itself.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FunctionalizeState
    : Pass<"train-functionalize-state", "::mlir::ModuleOp"> {
  let summary = "Turn variables into function arguments and results";
  let description = [{
    Before: functions read and assign variables. After: every function takes,
    behind its feeds, one destination for each result (`train.result`) and the
    storage of each variable it uses (`train.variable`), as tensors; it returns
    its results and the final value of each variable it writes, each
    materialized in its own storage. Versions of a variable are SSA values, so a
    read is the snapshot it means. `train.reads` and `train.writes` say what a
    function does to a variable.

    Refuses assignments inside control flow, arguments and results that are not
    ranked tensors, and gradients or updates that were not expanded before.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect"
  ];
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINPASSES
