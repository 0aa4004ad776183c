//===- TrainPasses.td - Passes of the train dialect --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_TRAINPASSES
#define FLYWHEEL_DIALECT_TRAIN_TRAINPASSES

include "mlir/Pass/PassBase.td"

def TrainConvertGlobals : Pass<"train-convert-globals", "::mlir::ModuleOp"> {
  let summary = "Convert globals of other dialects to variables";
  let description = [{
    Before: any module. After: each mutable `ml_program.global` and each
    `tosa.variable` is a `train.variable` of the same name, at the same place,
    that is not trainable and has the same initial value (zeros where it has
    none). An op that loads or stores it is a `train.read` or a `train.assign`
    at the same place, also where tokens order these ops. A scalar global is a
    tensor of rank 0. A load of an immutable global is a constant.

    So state that a model brings along, such as the seed of its dropout, is in
    the block of the caller, in checkpoints and in the header.

    Refuses a global of a type that variables cannot have, one whose initial
    value is not in the module (`#ml_program.extern`), tokens that order other
    ops, and any other storage that outlives a call: a `memref.global` or an
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
  let summary = "Keep some entries and the functions and variables that they use";
  let description = [{
    Before: any module. After: the public functions are those of `entries`, and
    every function and variable that none of them uses is removed. The pass runs
    after optimizers and random ops are expanded: slots, scalars and streams
    have the names that they have in the whole module, so that a checkpoint of
    the whole module fits, and those of other entries are removed. Without
    `entries` the module is left alone.

    Refuses a name that is not that of a public function with a body.
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
    Before: optimizers are expanded. After: the listed variables, by default all
    that no op assigns, are removed. Each read of one is a constant with the
    value that `checkpoint` (a safetensors file) has under the name of the
    variable. Other keys of the file, such as slots, are ignored. A variable
    that no op reads needs no value.

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

def LoadInitialValues
    : Pass<"train-load-initial-values", "::mlir::ModuleOp"> {
  let summary = "Start variables from their values in a checkpoint";
  let description = [{
    Before: optimizers are expanded, so that slots and counters are variables.
    After: each variable that `checkpoint` (a safetensors file) has a value of,
    under its name, has that value as its initial value. Other keys of the file
    are ignored, and other variables start as the program says. With `external`,
    the initializer gives these variables no value instead, and the module has
    nothing of the file: whoever runs the model restores the file.

    Refuses a checkpoint that cannot be read, or that has a value of another
    shape or element type.
  }];
  let options = [
    Option<"checkpoint", "checkpoint", "std::string", /*default=*/"",
           "Path of the checkpoint">,
    Option<"external", "external", "bool", /*default=*/"false",
           "Leave the variables without a value">
  ];
  let statistics = [
    Statistic<"numVariables", "variables", "Variables that the file has">
  ];
}

def TrainExpandOptimizers
    : Pass<"train-expand-optimizers", "::mlir::ModuleOp"> {
  let summary = "Expand train.minimize into a gradient and updates";
  let description = [{
    Before: `train.minimize` ops. After: none. Each is replaced, in its place,
    by one `train.gradient` of the loss with respect to the reads of the
    variables; reads of the variables, their slots and the optimizer's scalars;
    one update op for each variable; and assignments. The slots and scalars are
    variables of the module, declared after its last variable.
    The work of clauses of the op is emitted around the updates: the assignment
    of the rate, then L2 penalty and clipping of the gradients; decoupled decay
    is in the update. `train.schedule` and `train.clip_by_global_norm` become
    plain ops.

    Runs before calls are inlined: a function that is called several times then
    trains one set of slots. If calls compute a loss, they are inlined into the
    function.

    The default list of variables is every floating-point variable of the
    collection TRAINABLE that a read names on which the loss depends, in module
    order; the list is fixed here, whatever happens to the variables later. A
    variable with a constraint is assigned the `train.project` of its update.
    Slots and scalars are GLOBAL, not trainable, and have no constraint; a slot
    is on the device of its variable. Slots are named `<variable>/<optimizer>`
    and scalars `<optimizer>/<scalar>`, with the name that the program gives the
    optimizer or else that of its kind. If another optimizer of the kind was
    first, `_1`, `_2`, ... is appended to the name (`SGD_1/lr`), and to the name
    of a slot where that is taken. Scalars are f32, or f64 where a variable of
    the list is f64. A scalar that the module declares is used as it is.
    Optimizers with the same name are one optimizer: its scalars and slots are
    made once.

    Refuses: a loss that depends on a read of a variable inside a region, in a
    recursive call or behind a branch between blocks; a minimize op for which
    there is no trainable variable ("No variables to optimize"), or whose loss
    depends on none of the list ("No gradients provided for any variable"); two
    optimizers with the same name that differ; a scalar that is declared with
    another type. A listed variable that the loss does not depend on is skipped
    and gets no slots.
  }];
  let dependentDialects = [
    "::flywheel::nn::NNDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect",
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
  let summary = "Inline calls of functions that have a derivative rule";
  let description = [{
    Before: functions with the attribute `train.vjp`, and calls of them. After:
    each of those calls is a `train.custom_vjp`, whose regions are the bodies of
    the function and of its rule; no function has the attribute.

    Runs before other calls are inlined, which would lose the rule.

    Refuses a call of a function that is recursive, external or has several
    blocks, or whose rule is or has.
  }];
  let dependentDialects = ["::flywheel::train::TrainDialect"];
  let statistics = [
    Statistic<"numCalls", "calls", "Calls replaced">
  ];
}

def TrainExpandLeastSquares
    : Pass<"train-expand-least-squares", "::mlir::ModuleOp"> {
  let summary = "Expand train.least_squares into a loop";
  let description = [{
    Before: `train.least_squares` ops. After: none. Each is replaced by an
    `scf.for` with an iteration of the algorithm, which carries x, the objective
    and the regularizer; by the residuals at the start in front of it; and by
    reads of the variables in front of it and assignments behind it. The body
    computes the residuals twice, at x, with a `train.jacobian` for each of them
    (or with `solver cg` a `train.gradient` and a loop with a `train.jvp` and a
    `train.gradient`), and at the candidate. Reads of the variables in the
    region are what the loop carries: a derivative flows to them. A variable with
    a constraint is assigned the `train.project` of its value.

    If the number of residuals is not known statically, a branch takes the
    system with fewer unknowns; both have as many rows as there are elements in
    x, and pad the unused ones.

    Runs while calls are calls and draws are draws, and inlines those in the
    region. Warns where the matrix of a system is large.

    Refuses a region that assigns, draws, or calls what cannot be inlined, and
    residuals that depend on no x.
  }];
  let dependentDialects = [
    "::flywheel::nn::NNDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numExpanded", "expanded", "Least-squares ops expanded">
  ];
}

def OrderHostCalls : Pass<"train-order-host-calls", "::mlir::ModuleOp"> {
  let summary = "Pass a status through the calls of the host";
  let description = [{
    Before: `train.host_call` ops, calls are inlined. After: none. Each is a
    `linalg_ext.host_call` on tensors, which has no effect but takes the status
    that the call before it leaves: branches and loops pass it on, so that the
    calls keep their order, derivatives may compute the ops around them again,
    and no op with a result that is used is called twice. The status of the last
    one is checked. A check runs before every write to a variable, and so does
    each call.

    Elements of one bit are given as bytes, and unsigned integers as signless
    ones. An `scf.while` with a call that has results ends when a call has
    failed.

    Refuses the op where there is no function to call: with `for-object`, in an
    object file; with `device`, on a device that cannot call the host.
  }];
  let options = [
    Option<"forObject", "for-object", "bool", "false",
           "Refuse calls: the code is for an object file">,
    Option<"device", "device", "std::string", /*default=*/[{""}],
           "Refuse calls: the code is for this device, which calls no functions of "
           "the host">
  ];
  let dependentDialects = [
    "::flywheel::linalg_ext::LinalgExtDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def TrainExpandRandom : Pass<"train-expand-random", "::mlir::ModuleOp"> {
  let summary = "Expand random ops into a variable and arithmetic";
  let description = [{
    Before: `train.random` and `train.dropout` ops. After: none. A dropout is
    expanded into draws, inside a branch where it has a flag, and a select. Each
    random op is expanded into a loop nest that computes its elements from a key
    and their positions; a read of a variable that the pass declares (`random`,
    `random_1`, ...), which holds the key of the op's stream and the number of
    its runs; and an assignment that increments this number. In a function with
    the attribute `train.streams = "path"`, which the pass removes, they are
    `path/random`, `path/random_1`, ..., which functions with this path share.

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
    Before: `train.moving_average` ops. After: none. Each is replaced by a read
    of its variable, arithmetic (in f32 where the variable has 16 bits) and an
    assignment. With `zero_debias`, the pass declares two variables for each
    average, `<variable>/biased` and `<variable>/local_step`, with a suffix
    where a name is taken.

    Runs before calls are inlined: a function that is called several times
    updates one pair.
  }];
  let dependentDialects = [
    "::flywheel::nn::NNDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TrainExpandAverages : Pass<"train-expand-averages", "::mlir::ModuleOp"> {
  let summary = "Expand averages of variables into reads and assignments";
  let description = [{
    Before: `train.average_variables` and `train.swap_averages`. After: none. An
    average is updated by reads, arithmetic (in f32 where the variable has 16
    bits) and assignments; a swap is two reads and two assignments. The pass
    declares the averages that the program does not: `<variable>/<name>`, of f32
    where the variable has 16 bits, and then also `<variable>/<name>_rounded`;
    with `zero_debias`, `<name>/remainder`.

    Runs before calls are inlined, and before slots are declared, which are not
    averaged.
  }];
  let dependentDialects = [
    "::flywheel::nn::NNDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TrainPromoteStateToIterArgs : Pass<"train-promote-state-to-iter-args", "::mlir::func::FuncOp"> {
  let summary = "Pass variables through differentiated control flow as iter_args and yields";
  let description = [{
    Before: any function. After: an `scf.if`, `scf.for` or `scf.while` that a
    derivative flows through does not assign a variable: the new value is a
    result, which one assignment behind the op stores. Inside the op the
    variable is an SSA value (an iter_arg of a loop) that is constant to
    derivatives. So the op has no effect, and its regions can be computed again.

    Not changed: trainable variables that the regions also read (a derivative
    with respect to them would be lost), and variables that are accessed by
    other ops than reads and assignments, or that a call may access.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TrainForwardStateReads : Pass<"train-forward-state-reads", "::mlir::func::FuncOp"> {
  let summary = "Merge reads of one value of a variable";
  let description = [{
    Before: any function. After, where an op asks for a derivative with respect
    to a value of a variable: reads of the variable that no assignment separates
    are one read, unless one op names both as targets. A region (the body of a
    loop) that reads the variable without assigning it uses a read in front of
    the region's op. So a derivative with respect to any of the reads is the
    derivative with respect to the variable.

    Runs after calls have been inlined. Reads that an assignment separates stay
    two values.
  }];
}

def MaterializeInitializers
    : Pass<"train-materialize-initializers", "::mlir::ModuleOp"> {
  let summary = "Make the function that initialises variables";
  let description = [{
    Before: variables have initial values. After: a public function `init` with
    the feeds `seed` (scalar i64), `runs` (an i64 for each variable) and
    `select` (an i1 for each variable), marked `train.initializer`, assigns the
    initial value to every selected variable. The order is that of the module,
    except that a variable that another initial value reads comes first. A draw
    is a function of seed, op seed or variable name, the variable's element of
    `runs`, and the element.

    Variables of one type and one kind of initial value that no other initial
    value reads, from eight on, share a loop, which `train.assign_nth` ends: the
    function grows with the kinds of variables, not with their number.

    The regions of initial values are removed. The variables that a region read
    are listed on its variable (`train.initial_reads`, `train.initial_values`):
    the caller of `init` makes sure that they have a value or are selected too.

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
    of unsigned integers, on which `arith` ops cannot act, or of strings, which
    machine code cannot represent. After: all integers are signless.
    `tensor.bitcast` ops are removed (those between integers and floating-point
    numbers are `arith.bitcast`). The type that the user wrote is kept, as
    `element_type` of the variable and as `train.element_type` of the argument
    or result, for the description of the model. A string is an i64: 0 is the
    empty string, 1 to n are the strings that the module names, listed in the
    module's `train.strings`, and greater numbers are given at run time. Equal
    strings have equal numbers, so that a comparison of strings is a comparison
    of numbers.

    Runs after `train-materialize-initializers`, which reads initial values in
    the type that the user wrote; this pass removes the initial values of the
    variables that it changes.

    Refuses an op on such tensors that does more than move, compare or select
    elements: its result depends on the type.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::flywheel::train::TrainDialect"
  ];
}

def TrainExpandDraws : Pass<"train-expand-draws", "::mlir::ModuleOp"> {
  let summary = "Expand random draws into integer and f64 arithmetic";
  let description = [{
    Before: scalar `train.stream_key`, `train.random_bits` and
    `train.normal_quantile` ops. After: none; integer and f64 arithmetic in
    their place (no library call, no contraction), so that every target gives
    the same bits. Outside of loops, as for keys and scalars, the op is a call
    of a function of the module (`train.stream_key` and so on), which a model
    with thousands of variables has once.

    Runs late, after equal kernels are merged: a draw is over a hundred ops.
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
    after its feeds, one destination for each result (`train.result`) and the
    storage of each variable that it uses (`train.variable`), as tensors. It
    returns its results and the final value of each variable that it writes. At
    its end, each of these is stored in its own storage (`linalg_ext.store`), as
    if all stores happened at once. Versions of a variable are SSA values, so a
    read is a snapshot. `train.reads`, `train.initialized_value` and
    `train.writes` list what a function does to variables. After the storage
    come the initialised bits that the function asks for
    (`train.is_initialized`), as scalar i1 tensors. The variables of a
    `train.assign_nth` are one argument, whose first dimension is their number;
    the op becomes a `tensor.insert_slice`.

    A variable that an `scf.if`, `scf.for` or `scf.while` assigns becomes one of
    its results, and an iter_arg of a loop. A value that a branch assigns
    without computing it is stored in the branch. A branch that does not assign
    the variable yields the version before: the variable needs a value before
    the step, unless both branches assign it. So does a variable that a loop
    assigns, since the loop may run no iteration. In a function with
    `train.initializer`, which decides at run time what it initialises, a branch
    without an assignment does not count as such a read.

    Refuses assignments inside other ops with regions, `train.assign_nth`
    outside of the initializer or of a variable that is also accessed alone,
    arguments and results that are not ranked tensors, and gradients or updates
    that were not expanded before.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::flywheel::linalg_ext::LinalgExtDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // FLYWHEEL_DIALECT_TRAIN_TRAINPASSES
