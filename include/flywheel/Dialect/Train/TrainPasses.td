//===- TrainPasses.td - Passes of the train dialect --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINPASSES
#define FLYWHEEL_DIALECT_TRAIN_TRAINPASSES

include "mlir/Pass/PassBase.td"

def TrainConvertGlobals : Pass<"train-convert-globals", "::mlir::ModuleOp"> {
  let summary = "Turn what other dialects keep between calls into variables";
  let description = [{
    Before: any module. After: each mutable `ml_program.global`, and each
    `tosa.variable`, is a `train.variable` of its name, in its place, not
    trainable, with its initial value (zeros where it has none), and what loads
    and stores it reads and assigns the variable: where it stands, as do those
    that are ordered by tokens. A number is a tensor of rank 0. A load of an
    immutable global is its value as a constant.

    So state that a model brings along, such as the seed of its dropout, is in
    the block of its caller, in checkpoints and in the header.

    Refuses a global of another type than variables have, one whose initial value
    is not in the module (`#ml_program.extern`), tokens that order something
    else, and any other storage that outlives a call: a `memref.global` or an
    `llvm.mlir.global` that is not constant, `emitc.global`,
    `spirv.GlobalVariable`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::flywheel::train::TrainDialect"
  ];
  let statistics = [
    Statistic<"numVariables", "variables", "Globals that became variables">
  ];
}

def SelectEntries : Pass<"train-select-entries", "::mlir::ModuleOp"> {
  let summary = "Keep some entries and what they need";
  let description = [{
    Before: any module. After: the public functions are those of `entries`, and
    every function and variable that none of them leads to is gone. Runs after
    optimizers and random ops are expanded: slots, scalars and streams have the
    names that they have in the whole module, so that a checkpoint of that one
    fits, and those of other entries go. Without `entries` the module is left
    alone.

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
    Before: optimizers are expanded. After: the
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
    `<variable>/<optimizer>`, scalars `<optimizer>/<scalar>`, with the name that
    the program gives the optimizer or else that of its kind; where another
    optimizer of the kind was first, `_1`, `_2`, ... is appended to the name
    (`SGD_1/lr`), as to a slot's where it is taken. Scalars are f32, or f64 where
    a variable of the list is f64. A scalar that the module declares is used as
    it is. Optimizers of one name are one: scalars and slots are made once.

    Refuses: a loss whose history has reads of variables out of sight, in a
    region, a recursive call or behind a branch; a minimize op for which there is
    no trainable variable ("No variables to optimize"), or whose loss depends on
    none of the list ("No gradients provided for any variable"); two optimizers
    of one name that are not the same; a scalar that is declared with another
    type. A listed variable that the loss does
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

def TrainExpandCustomVjps
    : Pass<"train-expand-custom-vjps", "::mlir::ModuleOp"> {
  let summary = "Bring calls of functions with a derivative rule in line";
  let description = [{
    Before: functions with the attribute `train.vjp`, and calls of them. After:
    each of those calls is a `train.custom_vjp`, whose regions are the bodies of
    the function and of its rule; no function has the attribute.

    Runs before other calls are inlined, which would lose the rule.

    Refuses: a call of a function that is recursive, external or of several
    blocks, or whose rule is.
  }];
  let dependentDialects = ["::flywheel::train::TrainDialect"];
  let statistics = [
    Statistic<"numCalls", "calls", "Calls replaced">
  ];
}

def TrainExpandRandom : Pass<"train-expand-random", "::mlir::ModuleOp"> {
  let summary = "Give each random op a variable and its arithmetic";
  let description = [{
    Before: `train.random` and `train.dropout` ops. After: none. A dropout has
    become draws, in a branch where it has a flag, and a choice of elements.
    Each random op has become a loop nest that
    computes its elements from a key and their positions, a read of a variable
    that the pass has declared (`random`, `random_1`, ...), which holds the key of
    the op's stream and how often it has run, and an assignment that counts the
    run.

    Runs before calls are inlined: a function that is called several times draws
    from one stream.
  }];
  let dependentDialects = [
    "::flywheel::nn::NNDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TrainExpandMovingAverages
    : Pass<"train-expand-moving-averages", "::mlir::ModuleOp"> {
  let summary = "Expand train.moving_average into reads and assignments";
  let description = [{
    Before: `train.moving_average` ops. After: none. Each has become, in its
    place, a read of its variable, arithmetic, in f32 where the variable has 16
    bits, and an assignment. With `zero_debias`, the pass has declared two
    variables for each that is averaged, `<variable>/biased` and
    `<variable>/local_step`, with a suffix where a name is taken.

    Runs before calls are inlined: a function that is called several times
    updates one pair.
  }];
  let dependentDialects = [
    "::flywheel::nn::NNDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TrainCarryState : Pass<"train-carry-state", "::mlir::func::FuncOp"> {
  let summary = "Pass variables through differentiated control flow as values";
  let description = [{
    Before: any function. After: an `scf.if`, `scf.for` or `scf.while` that
    derivatives flow through assigns a variable behind it, once; in it the
    variable is a value that is carried, and constant to derivatives. So
    the op has no effect, and its regions can be computed again.

    Trainable variables that the regions also read stay (a derivative with
    respect to them would be lost), and so do those that are accessed in other
    ways than reads and assignments, or where a call may access them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TrainUnifyReads : Pass<"train-unify-reads", "::mlir::func::FuncOp"> {
  let summary = "Make reads of one value of a variable one";
  let description = [{
    Before: any function. After, where a derivative with respect to a value of a
    variable is asked for: reads of a variable that no assignment separates are
    one, unless one op names both as targets. A region (the body of a loop) that reads such a variable without
    assigning it uses a read in front of it. So a derivative with respect to any
    of the reads is that with respect to the variable.

    Runs after calls have been inlined. What an assignment separates stays two
    values.
  }];
}

def MaterializeInitializers
    : Pass<"train-materialize-initializers", "::mlir::ModuleOp"> {
  let summary = "Make the function that initialises variables";
  let description = [{
    Before: variables carry initial values. After: a public function `init` with
    the feeds `seed` (scalar i64), `runs` (an i64 a variable) and `select` (an i1
    a variable), marked `train.initializer`, assigns the initial value to every
    selected variable, in module order but for variables that another initial
    value is computed from: those come first. Draws are a function of (seed, op
    seed or variable name, the variable's entry of `runs`, element).

    Regions of initial values are gone after it. The variables that one read are
    kept on its variable (`train.initial_reads`, `train.initial_values`): who
    calls `init` sees to it that they have a value or are selected too.

    A module without variables is left alone. Refuses a module that defines
    `init` itself.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def LowerElementTypes
    : Pass<"train-lower-element-types", "::mlir::ModuleOp"> {
  let summary = "Store unsigned integers as signless ones, strings as numbers";
  let description = [{
    Before: variables, arguments, results and values of functions may be tensors
    of unsigned integers, on which ops of `arith` cannot act, or of strings,
    which no machine code holds. After: all integers are signless, `tensor.bitcast` ops are gone (those between integers
    and floating-point numbers have become `arith.bitcast`), and the type that
    the user wrote is kept, as `element_type` of the variable and
    as `train.element_type` of the argument or result, for whoever describes the
    model to a caller. A string is an i64: 0 is the empty one, 1 to n are those
    that the module names, listed in `train.strings` of the module, and greater
    numbers are given at run time. Equal strings have equal numbers, so that a
    comparison is one of numbers.

    Runs after `train-materialize-initializers`: that pass reads initial values
    in the type they are written in; this one drops those of the variables it
    changes.

    Refuses an op on such tensors that does more than move, compare or select
    elements: what it would compute depends on the type.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::flywheel::train::TrainDialect"
  ];
}

def TrainExpandDraws : Pass<"train-expand-draws", "::mlir::ModuleOp"> {
  let summary = "Write out the arithmetic of random draws";
  let description = [{
    Before: scalar `train.stream_key`, `train.random_bits` and
    `train.normal_quantile` ops. After: none, but integer and f64 arithmetic (no
    library call, no contraction), so that every target gives the same bits. What
    no loop computes, as keys and scalars are, is a call of a function of the
    module, `train.stream_key` and so on: a model with thousands of variables has
    one for each.

    Runs late, behind the merging of equal kernels: a draw is over a hundred ops.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect"
  ];
}

def FunctionalizeState
    : Pass<"train-functionalize-state", "::mlir::ModuleOp"> {
  let summary = "Turn variables into function arguments and results";
  let description = [{
    Before: functions read and assign variables. After: every function takes,
    behind its feeds, one destination for each result (`train.result`) and the
    storage of each variable it uses (`train.variable`), as tensors; it returns
    its results and the final value of each variable it writes, each stored in
    its own storage at the end (`linalg_ext.store`), as if all at once. Versions of a variable are SSA values, so a
    read is the snapshot it means. `train.reads`, `train.initialized_value` and
    `train.writes` say what a function does to a variable. Behind the storage come
    the initialised bits that the function asks for (`train.is_initialized`), as
    scalar i1 tensors.

    A variable that an `scf.if`, `scf.for` or `scf.while` assigns becomes one of
    its results, and of the values that a loop carries. What a branch assigns
    without computing it is stored there. A branch that does not assign passes on
    the version before: the variable needs a value before the step, unless both
    branches assign it. So does a variable that a loop assigns, which may run no
    iteration. In a function with `train.initializer`, which decides at run time
    what it initialises, a branch without an assignment does not count as such a
    read.

    Refuses assignments inside other ops with regions, arguments and results that are not
    ranked tensors, and gradients or updates that were not expanded before.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::flywheel::linalg_ext::LinalgExtDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINPASSES
