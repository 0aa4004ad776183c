//===- TrainPasses.td - Passes of the train dialect --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINPASSES
#define FLYWHEEL_DIALECT_TRAIN_TRAINPASSES

include "mlir/Pass/PassBase.td"

def SelectEntries : Pass<"train-select-entries", "::mlir::ModuleOp"> {
  let summary = "Keep some entries and what they need";
  let description = [{
    Before: any module. After: the public functions are those of `entries`, and
    every function and variable that none of them leads to is gone. Runs before
    optimizers are expanded, so that an entry that only predicts brings no slots
    and no optimizer scalars. Without `entries` the module is left alone.

    Refuses the name of what is no public function with a body.
  }];
  let options = [
    ListOption<"entries", "entries", "std::string",
               "Names of the functions to keep">
  ];
  let statistics = [
    Statistic<"numVariables", "variables", "Variables removed">
  ];
}

def FreezeVariables : Pass<"train-freeze-variables", "::mlir::ModuleOp"> {
  let summary = "Replace variables by their values in a checkpoint";
  let description = [{
    Before: optimizers are expanded and initializers are attributes. After: the
    variables of the list, by default all that nothing assigns, are gone; each
    read of one is a constant with the value that `checkpoint` (a safetensors
    file) has under the variable's name. Other keys of the file, such as slots,
    do not matter, nor does the value of a variable that nothing reads.

    Refuses a listed variable that is assigned, a checkpoint that lacks a value
    (`Key W not found in checkpoint`) or has one of another shape or element
    type, and `train.minimize`.
  }];
  let options = [
    Option<"checkpoint", "checkpoint", "std::string", /*default=*/"",
           "Path of the checkpoint">,
    ListOption<"variables", "variables", "std::string",
               "Names of the variables to freeze">
  ];
  let statistics = [
    Statistic<"numVariables", "variables", "Variables removed">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TrainExpandOptimizers
    : Pass<"train-expand-optimizers", "::mlir::ModuleOp"> {
  let summary = "Expand train.minimize into a gradient and updates";
  let description = [{
    Before: `train.minimize` ops. After: none. Each has become, in its place,
    one `train.gradient` of the loss with respect to the reads of the variables,
    reads of the variables, their slots and the optimizer's scalars, one update
    op a variable, and assignments. The slots and scalars have become variables
    of the module, after the last one that was there.

    Runs before calls are inlined: a function that is called several times then
    trains one set of slots. A loss that is computed by calls is brought into
    the function by inlining those calls.

    The default list of variables is every floating-point variable of the
    collection TRAINABLE that a read in the loss's history names, in module
    order; the set is fixed here, whatever becomes of the variables. A variable
    with a constraint is assigned the `train.project` of its update. Slots and
    scalars are GLOBAL, not trainable, and have no constraint; a slot is on the
    device of its variable. Names: slots are
    `<variable>/<optimizer>`, scalars `<optimizer>/<scalar>`; where a name is
    taken, `_1`, `_2`, ... is appended to the slot's name or to the optimizer's
    (`SGD_1/lr`). Scalars are f32, or f64 where a variable of the list is f64.

    Refuses: a loss whose history has reads of variables out of sight, in a
    region, a recursive call or behind a branch; a minimize op for which there is no trainable variable ("No
    variables to optimize"), or whose loss depends on none of the list ("No
    gradients provided for any variable"). A listed variable that the loss does
    not depend on is skipped and gets no slots.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::flywheel::train::TrainDialect"
  ];
  let statistics = [
    Statistic<"numOptimizers", "optimizers", "Minimize ops expanded">,
    Statistic<"numParameters", "parameters", "Variables updated">,
    Statistic<"numSlots", "slots", "Slot variables made">
  ];
}

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
