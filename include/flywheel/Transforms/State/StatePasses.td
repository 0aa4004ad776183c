//===- StatePasses.td - Passes on where variables live -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TRANSFORMS_STATE_STATEPASSES
#define FLYWHEEL_TRANSFORMS_STATE_STATEPASSES

include "mlir/Pass/PassBase.td"

def SinkStores : Pass<"flywheel-sink-stores", "::mlir::func::FuncOp"> {
  let summary = "Store what control flow computes inside of it";
  let description = [{
    Before: a functionalized step: its results, and the final values of the
    variables that it writes, are stored at its end (`linalg_ext.store`). After:
    the result of an `scf.if` is stored in each branch, and the initial value of
    a loop is stored before it, so that the loop starts from it; an iteration
    stores the value that it computes in the storage of the value that it
    replaces. There the values can be computed where they are stored. Values
    that only move (a feed, a variable, an iter_arg) are not stored at back
    edges: `insert-state-copies` moves all such values of an iteration at once.
  }];
  let dependentDialects = ["::flywheel::linalg_ext::LinalgExtDialect"];
  let statistics = [
    Statistic<"numSunk", "sunk", "Stores moved into control flow">
  ];
}

def ProtectState : Pass<"flywheel-protect-state", "::mlir::func::FuncOp"> {
  let summary = "Say to bufferization when a step may write its storages";
  let description = [{
    Before: a step on tensors, which returns a value for each storage that it
    writes (`train.result`, `train.writes`). After: following the last check, a
    `linalg_ext.protect` reads every such storage, as a failing check changes
    nothing; a `linalg_ext.commit` at the end says what each gets, and nothing
    is returned. Refuses a check inside of another op.
  }];
  let dependentDialects = ["::flywheel::linalg_ext::LinalgExtDialect"];
}

def InsertStateCopies : Pass<"flywheel-insert-state-copies", "::mlir::func::FuncOp"> {
  let summary = "Put what a function commits and a loop carries in one place";
  let description = [{
    Before: a bufferized function, which commits a buffer to each storage that it
    writes (`linalg_ext.commit`), and whose loops pass on buffers. After: each
    value is in its storage, and each value that a loop carries is in the buffer
    that it starts in: what is elsewhere is copied at the end of the function or
    of the iteration. These copies are one parallel move: they are ordered so
    that none overwrites what another reads, and a cycle costs one more.
    A variable that is copied at the end of a step is reported as a remark.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numCopies", "copies", "Copies at ends of iterations and functions">
  ];
}

def FuseUpdates : Pass<"flywheel-fuse-updates", "::mlir::func::FuncOp"> {
  let summary = "One op for updates that read each other";
  let description = [{
    Before: `linalg` on tensors. After: elementwise ops of one shape that make new
    values of variables, and are connected by what they read of each other (a new
    value, an old one, or something that only they use), are one op with several
    results. Such an op reads all old values of an element before it writes the
    new ones, so it updates all of its variables in place: by separate ops that
    takes a copy where each reads what another overwrites, and buffers for what
    they share. An optimizer that a program writes out, such as FTRL, becomes the
    one loop that `train.minimize` makes of its own. An op that reads several of
    the new values, element by element, is computed with them.

    Leaves ops alone that something else has to come between, or that another
    op would have to be computed both before and after, ones that a check needs,
    and more than one product of matrices: each is computed in the loops of one
    op.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numFused", "fused", "Ops that became part of another">
  ];
}

def OrderStep : Pass<"flywheel-order-step", "::mlir::func::FuncOp"> {
  let summary = "Checks first, each update after the last reader of the old value";
  let description = [{
    Before: a functionalized step on tensors, in any order. After: an order in
    which bufferization finds as few conflicts as possible. Every check
    comes before everything that writes state; the op that produces the final
    value of a variable comes after every other reader of the variable's old
    value, so that it can write in place, and as soon as it can, with the
    gradients that it alone needs: what these are made of need not be kept to the
    end of the step. The same holds in each branch and each body of a loop that
    writes a variable. Stores of what is computed in its place already go.

    All of these are soft dependences; dominance alone is a rule, so there
    always is an order. Two variables that are assigned each other's values (a
    swap) become one `linalg_ext.exchange`, without a copy. If there is another
    cycle of old values that are needed, the soft dependence that costs the
    fewest bytes is dropped: a reader that is too late reads one explicit copy
    (`linalg.copy` marked `train.snapshot`), reported as a remark. A variable
    that an op reads elsewhere than it writes (`a := transpose(a)`), or starts
    from without being an update of it, gets such a copy too; so does one that a
    loop starts from, without a remark, as the program asks for that. In a
    branch or a loop, a snapshot is made only when it runs. Operands of a check
    come before it, whatever they write: bufferization computes them elsewhere,
    as `protect-state` says that the old value is needed.

    Whatever rewrites values after this pass may make a read of a variable out
    of what was computed from it before: two transpositions in a row become the
    variable itself. With `if-disordered` the pass runs once more behind such
    rewriting, and does nothing where the order still holds.
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let options = [
    Option<"ifDisordered", "if-disordered", "bool", /*default=*/"false",
           "Leave a step alone that is in such an order already">
  ];
  let statistics = [
    Statistic<"numSnapshots", "snapshots", "Variables copied because of a cycle">
  ];
}

def VerifyInPlace : Pass<"flywheel-verify-in-place", "::mlir::func::FuncOp"> {
  let summary = "Prove that no step copies a variable";
  let description = [{
    Before: a bufferized step. After: it is proven that what an optimizer updates
    (`train.updated`) is written by the update itself, not copied from elsewhere,
    and that no buffer of the step holds a copy of it but the snapshots that the
    order has marked (`train.snapshot`) and what the program assigns or a
    loop passes on (`linalg_ext.assigned`). Refuses anything else at the
    location of the op that copies.
  }];
}

def VerifyChecksFirst : Pass<"flywheel-verify-checks-first", "::mlir::func::FuncOp"> {
  let summary = "Prove that no step writes a variable before its last check";
  let description = [{
    Before: a bufferized step, in its final order and places. After: it is proven
    that no op writes a variable (`train.variable`) before the last
    `linalg_ext.check`, so that a call that fails has changed nothing. Refuses a
    check that follows such a write, at the location of the check.
  }];
}

#endif // FLYWHEEL_TRANSFORMS_STATE_STATEPASSES
