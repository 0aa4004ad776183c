//===- CodegenPasses.td - CPU code generation passes -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_CODEGENPASSES
#define FLYWHEEL_CODEGEN_CODEGENPASSES

include "mlir/Pass/PassBase.td"

def VerifyShapes : Pass<"flywheel-verify-shapes", "::mlir::ModuleOp"> {
  let summary = "Refuse shapes that are too large or contradict their op";
  let description = [{
    Before: any module. After: the same; no tensor, vector or buffer has a static
    dimension above 2^56 or more than 2^56 bytes, where each dynamic dimension
    counts as one. So sums of sizes, and products with a small factor, cannot
    overflow in the passes that compute them. The static sizes that a
    `tensor.expand_shape` lists are those of its result.
  }];
}

def VerifyCalls : Pass<"flywheel-verify-calls", "::mlir::ModuleOp"> {
  let summary = "Refuse calls that cannot all be inlined";
  let description = [{
    Before: any module. After: the same; no function has more than 2^20 ops of
    others once every call is replaced by what it calls. A chain of functions
    that each call the next one twice doubles with each.
  }];
}

def UnifyExtents : Pass<"flywheel-unify-extents", "::mlir::func::FuncOp"> {
  let summary = "Find which dynamic extents are the same number";
  let description = [{
    Before: `linalg` on tensors; every `tensor.dim` stands for itself. After:
    each extent that the structured ops force to be equal to an extent of a feed
    is read from that feed, so that two names of the batch size are one SSA
    value. The extent of a collapsed shape that a check compares is read as the
    product that it is. Arguments carry `train.extents`: for each dimension the
    number of its symbolic extent, or -1 where it is static; the function carries
    `train.symbols`, their names. A dynamic feed extent that the ops force to a
    constant is checked by a `cf.assert`.

    Refuses a result whose extent is not an extent of a feed.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::tensor::TensorDialect"
  ];
}

def CheckSlices : Pass<"flywheel-check-slices", "::mlir::func::FuncOp"> {
  let summary = "Check slices and elements that may be out of range";
  let description = [{
    Before: `tensor.extract_slice`, `tensor.insert_slice`, `tensor.extract` and
    `tensor.insert` at offsets, of sizes, or of extents that are known only when
    the step runs; out of range they are undefined. After: a `cf.assert` in front
    of each says that it is in range, but for those that are so by the bounds of
    the loops around them; it names the numbers in question. Those of what is
    inside of branches and loops are behind these, which pass on what they found,
    and marked `linalg_ext.safe`: where one fails, the op takes the start of the
    dimension if that is in range, and else does not run.

    Refuses what may be out of range in a body from which no check can be passed
    out, as that of a `tensor.pad`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def CheckCarriedExtents : Pass<"flywheel-check-carried-extents", "::mlir::func::FuncOp"> {
  let summary = "Check that branches and loops keep extents";
  let description = [{
    Before: tensors of dynamic extents go into branches and loops, around loops
    and out of them. After: what comes out of an `scf.if`, or goes around an
    `scf.for` or `scf.while`, has the extents of what it replaces; where that is
    not seen, a `cf.assert` says so. Refuses branches whose extents are not known
    in front of them.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LiftChecks : Pass<"flywheel-lift-checks", "::mlir::func::FuncOp"> {
  let summary = "Take checks out of the bodies of structured ops";
  let description = [{
    Before: `cf.assert` anywhere, also in the bodies of `linalg` ops on tensors
    and of `tensor.generate`, as other front ends write them. After: none in such
    a body: in front of the op, a reduction over all of its elements says whether
    each passes, and a `cf.assert` of the same message, at the same location,
    checks that. A check in a branch or a loop is marked `linalg_ext.safe`: what
    it guards has checks of its own.

    Refuses conditions that depend on what the op itself has computed before, and
    checks in other bodies.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::flywheel::linalg_ext::LinalgExtDialect"
  ];
  let statistics = [
    Statistic<"numLifted", "lifted", "Checks that were taken out of a body">
  ];
}

def CarryChecks : Pass<"flywheel-carry-checks", "::mlir::func::FuncOp"> {
  let summary = "Take checks out of branches and loops";
  let description = [{
    Before: `cf.assert` anywhere. After: one that is marked `linalg_ext.safe`,
    because what follows it in its region does no harm where it fails, is at the
    top level of the function: an `scf.if`, `scf.for` or `scf.while` passes on,
    as one more result, whether it was true each time. An `scf.while` ends where
    it was false. Other checks, and those inside of other ops, stay where they
    are.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::scf::SCFDialect"
  ];
  let statistics = [
    Statistic<"numCarried", "carried", "Results that pass on a check">
  ];
}

def SinkStores : Pass<"flywheel-sink-stores", "::mlir::func::FuncOp"> {
  let summary = "Store what control flow computes inside of it";
  let description = [{
    Before: a functionalized step: its results, and the final values of the
    variables that it writes, are stored at its end (`linalg_ext.store`). After:
    what comes out of an `scf.if` is stored in each branch, and what comes out of
    a loop is stored in front of it, so that the loop starts from it; an
    iteration stores what it computes where it found what it replaces. There the
    values can be computed where they are stored. What is only moved (a feed, a
    variable, what a loop carries) is not stored at back edges: `equate-buffers`
    moves all such values of an iteration at once.
  }];
  let dependentDialects = [
    "::flywheel::linalg_ext::LinalgExtDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numSunk", "sunk", "Stores moved into control flow">
  ];
}

def ProtectState : Pass<"flywheel-protect-state", "::mlir::func::FuncOp"> {
  let summary = "Say to bufferization when a step may write its storages";
  let description = [{
    Before: a step on tensors, which returns a value for each storage that it
    writes (`train.result`, `train.writes`). After: behind the last check
    (`cf.assert`), a `linalg_ext.protect` reads every such storage, as a failing
    check changes nothing; a `linalg_ext.commit` at the end says what each gets,
    and nothing is returned. Refuses a check inside of another op.
  }];
  let dependentDialects = ["::flywheel::linalg_ext::LinalgExtDialect"];
}

def EquateBuffers : Pass<"flywheel-equate-buffers", "::mlir::func::FuncOp"> {
  let summary = "Put what a function commits and a loop carries in one place";
  let description = [{
    Before: a bufferized function, which commits a buffer to each storage that it
    writes (`linalg_ext.commit`), and whose loops pass on buffers. After: each
    value is in its storage, and each value that a loop carries is in the buffer
    that it starts in: what is elsewhere is copied at the end of the function or
    of the iteration. These copies are one parallel move: they are ordered so
    that none overwrites what another reads, and a cycle (a swap) costs one more.
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
    one loop that `train.minimize` makes of its own.

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

def ComputeInPlace : Pass<"flywheel-compute-in-place", "::mlir::ModuleOp"> {
  let summary = "Compute a value where it is stored";
  let description = [{
    Before: values are computed in an empty tensor and then stored or inserted
    somewhere. After: they are computed there, where that is in the
    block of the op that computes: what is computed whether or not a branch is
    taken is not computed in what the branch writes.
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ScheduleStep : Pass<"flywheel-schedule-step", "::mlir::func::FuncOp"> {
  let summary = "Checks first, each update after the last reader of the old value";
  let description = [{
    Before: a functionalized step on tensors, in any order. After: an order in
    which bufferization finds as few conflicts as possible. Every `cf.assert`
    comes before everything that writes state; the op that produces the final
    value of a variable comes after every other reader of the variable's old
    value, so that it can write in place, and as soon as it can, with the
    gradients that it alone needs: what these are made of need not be kept to the
    end of the step. The same holds in each branch and each body of a loop that
    writes a variable. Stores of what is computed in its place already go.

    All this are wishes; dominance alone is a rule, so there always is an order.
    Where two variables need each other's old value (a swap), the wish that costs
    the fewest bytes is given up: what comes too late reads one explicit copy
    (`linalg.copy` marked `train.snapshot`), reported as a remark. A variable
    that an op reads elsewhere than it writes (`a := transpose(a)`), or starts
    from without being an update of it, gets such a copy too. In a branch or a
    loop, a snapshot is made only when it runs. What a check itself needs comes
    before it, whatever it writes: bufferization computes it elsewhere, as
    `protect-state` says that the old value is needed.

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

def FoldConversions : Pass<"flywheel-fold-conversions", "::mlir::func::FuncOp"> {
  let summary = "Convert to narrower floats where a product reads them";
  let description = [{
    Before: fused `linalg` on tensors. After: a product of two matrices that
    reads what only narrows another tensor (`arith.truncf`) reads that tensor,
    and narrows in its body. `flywheel-tile-and-fuse` narrows a tile of an operand
    at a time, in front of the kernel: weights of f32 that a step computes with
    as bf16 are never stored as that.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
  let statistics = [
    Statistic<"numFolded", "folded", "Operands that are converted where they are read">
  ];
}

def FuseElementwise : Pass<"flywheel-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "One op for a chain of elementwise ops";
  let description = [{
    Before: `linalg` on tensors. After: an elementwise op whose result has one
    use, by another structured op, is computed in the body of that op; but not
    where its operands would have to be kept for long instead of its one result,
    as the terms of a sum that grows with each product. A broadcast, or a little
    arithmetic on one tensor that is no variable, is computed in the body of each
    of its users, if these are elementwise ops and reductions: reading its result
    would take no less memory than reading its operand. Changes of shape between
    two ops move out of the way, but an op that writes a variable keeps the
    variable's shape, and a product of matrices its own: what follows it in
    another shape takes that of the product.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def StoreBooleansAsBytes
    : Pass<"flywheel-store-booleans-as-bytes", "::mlir::func::FuncOp"> {
  let summary = "Hold masks in bytes, which vectors can read";
  let description = [{
    Before: fused `linalg` on tensors. After: a tensor of i1 that a
    `linalg.generic` makes and only such ops read is one of i8, 0 or 1. Both take
    a byte of memory for each element, but a vector of i1 is a row of bits: only
    bytes are read and written as vectors. Results, feeds and variables keep
    their type.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def MaterializeSplats
    : Pass<"flywheel-materialize-splats", "::mlir::func::FuncOp"> {
  let summary = "Fill tensors with one value where they are used";
  let description = [{
    Before: `linalg` on tensors. After: no constant of more than 64 bytes has one
    value in all of its elements: it would become as many bytes of the object
    file. A `linalg.generic` takes the value itself; any other op gets a tensor
    that is filled in front of it, or in front of the loops around it where it
    only reads. Refuses nothing.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numFilled", "filled", "Tensors filled in place of a constant">
  ];
}

def HoistScalars : Pass<"flywheel-hoist-scalars", "::mlir::func::FuncOp"> {
  let summary = "Read scalar operands once, in front of the op";
  let description = [{
    Before: `linalg.generic` with rank-0 tensors among its inputs (a learning
    rate, a batch size). After: it captures their elements, read in front of it:
    the loops that it becomes need not prove that a store leaves them alone.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def PrivatizeInits : Pass<"flywheel-privatize-inits", "::mlir::func::FuncOp"> {
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

def TileAndFuse : Pass<"flywheel-tile-and-fuse", "::mlir::func::FuncOp"> {
  let summary = "One loop nest for a contraction and its epilogue";
  let description = [{
    Before: `linalg` on tensors. After: each contraction whose only use is an
    elementwise op (bias, activation, optimizer update) is computed tile by tile
    inside the loops of that op, in register-sized tiles; the right-hand side is
    packed into contiguous panels where its rows are far apart. Loops are peeled
    so that full tiles are static. What an op reads of the old value of its
    destination, element for element, it reads from the destination.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"512",
           "Width of a vector register in bits">,
    Option<"numVectorRegisters", "num-vector-registers", "unsigned",
           /*default=*/"32", "Number of vector registers">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numFused", "fused", "Contractions fused with an epilogue">,
    Statistic<"numPacked", "packed", "Operands packed into panels">
  ];
}

def VerifyInPlace : Pass<"flywheel-verify-in-place", "::mlir::func::FuncOp"> {
  let summary = "Prove that no step copies a variable";
  let description = [{
    Before: a bufferized step. After: it is proven that what an optimizer updates
    (`train.updated`) is written by the update itself, not copied from elsewhere,
    and that no buffer of the step holds a copy of it but the snapshots that the
    scheduler has marked (`train.snapshot`). What the program assigns it may
    copy. Refuses anything else at the location of the op that copies.
  }];
}

def LowerControlFlow : Pass<"flywheel-lower-control-flow", "::mlir::func::FuncOp"> {
  let summary = "Structured control flow to branches";
  let description = [{
    Before: ops of the scf dialect. After: branches between blocks, as
    `convert-scf-to-cf` makes them, in time that is linear in the number of ops.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

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
    Before: `linalg_ext` ops on buffers. After: none is left. Loops go over what
    decides where an op reads and writes (indices, the dimension of a sum, the
    rows of a triangle); inside of them `linalg` ops work on whole slices. A
    slice at an index out of range is not accessed.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def NormalizeSlices : Pass<"flywheel-normalize-slices", "::mlir::func::FuncOp"> {
  let summary = "Set the strides of slices of one position to 1";
  let description = [{
    Before: `tensor.extract_slice` and `tensor.insert_slice`. After: where a slice
    takes one position of a dimension, its stride there is 1. Which dimensions a
    slice of a buffer leaves out is told by the strides of its type, which any
    other stride of one position would change.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def Rematerialize : Pass<"flywheel-rematerialize", "::mlir::func::FuncOp"> {
  let summary = "Recompute values that do not fit into a memory budget";
  let description = [{
    Before: a bufferized step, in its final order. After: its buffers fit into a
    workspace of `memory-budget` bytes where every symbolic extent is `extent`:
    values of the forward part that the backward part would find in buffers are
    computed a second time, by copies of the ops that computed them, right before
    they are needed. Nothing changes where the budget is kept anyway.

    A value is recomputed only where each variable that it is made of still has
    the value it had: a recomputed value is the same, bit for bit. What has other
    effects than on buffers is not repeated. Which values to recompute is
    searched: bytes times the time they are held against estimated arithmetic.
    Must run right before plan-workspace, with the same extents: each pass in
    between could merge the copies, or change what is live.

    Refuses a budget that cannot be reached, with the smallest workspace that was
    found and the values that are live where most are.
  }];
  let options = [
    Option<"memoryBudget", "memory-budget", "int64_t", /*default=*/"-1",
           "Bytes of the workspace; negative for any number">,
    Option<"extent", "extent", "int64_t", /*default=*/"64",
           "Symbolic extent for which the budget is meant, unless `extents` has "
           "its own">,
    ListOption<"extents", "extents", "std::string",
               "The same of single extents, by name: time=256">
  ];
  let statistics = [
    Statistic<"numRecomputed", "recomputed", "Buffers computed a second time">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanWorkspace : Pass<"flywheel-plan-workspace", "::mlir::func::FuncOp"> {
  let summary = "Place every buffer of a step in one workspace";
  let description = [{
    Before: a bufferized function with `memref.alloc`. After: no allocation is
    left. Register tiles (small and static) are stack slots; every other buffer
    is a view into a new argument, `memref<?xi8>`, marked `train.workspace`.
    Buffers that are never live together share a slot. Offsets and sizes are
    functions of the symbolic extents of the feeds; the function's attribute
    `train.workspace_slots` lists, for each slot, the affine maps of the sizes
    of its buffers in bytes.

    Refuses a buffer whose size is not bounded by the feeds' extents, and a
    workspace that is larger than `memory-budget` where each symbolic extent is
    what `extents` or else `extent` says. Also one of more than 2^56 bytes, if its
    size is static or `bound-extents` is set.
  }];
  let options = [
    Option<"memoryBudget", "memory-budget", "int64_t", /*default=*/"-1",
           "Bytes of the workspace; negative for any number">,
    Option<"extent", "extent", "int64_t", /*default=*/"64",
           "Symbolic extent at which sizes are compared, unless `extents` has its "
           "own">,
    ListOption<"extents", "extents", "std::string",
               "The same of single extents, by name: time=256">,
    Option<"boundExtents", "bound-extents", "bool", /*default=*/"false",
           "No symbolic extent exceeds what these say">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def LayoutState : Pass<"flywheel-layout-state", "::mlir::ModuleOp"> {
  let summary = "Lay variables out in one block and describe the model";
  let description = [{
    Before: functions whose arguments are feeds, result destinations, variables
    and a workspace. After: each function `F` is `F.kernel` with the arguments
    (state, workspace, feeds, results), returns an i32 status, and finds its
    variables at fixed offsets of the state; `cf.assert` became an early return.
    The variables are gone from the module; `train.manifest` describes it.
  }];
  let options = [
    Option<"modelName", "model-name", "std::string", /*default=*/"\"model\"",
           "Name of the model: prefix of its symbols">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def OutlineKernels : Pass<"flywheel-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Move each fused group into a function of its own";
  let description = [{
    Before: kernels `F.kernel` whose bodies are loop nests and structured ops on
    buffers. After: each tiled loop nest, each reduction, and each elementwise
    op that computes more than a few sums is a private function `F.kernel.<n>`
    that its entry calls, together with the index arithmetic and the stack slots
    that it alone uses; where its buffers are in the workspace is an argument.
    What computes the same thing (the layers of a net, the initial values of
    variables of one shape, the forward part of a train step and of an
    evaluation) then has equal functions, of which
    `duplicate-function-elimination` leaves one to compile. Kernels are found
    inside branches and while loops as well.
  }];
  let statistics = [
    Statistic<"numKernels", "kernels", "Functions made">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
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

def LowerSwitches : Pass<"flywheel-lower-switches", "::mlir::func::FuncOp"> {
  let summary = "Make branches of scf.index_switch";
  let description = [{
    Before: any `scf.index_switch`. After: an `scf.if` for each case, each in the
    else of the one before; the innermost else is the default. So what holds for
    branches holds for switches: gradients, assignments, checks.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def IndexLoops : Pass<"flywheel-index-loops", "::mlir::func::FuncOp"> {
  let summary = "Make scf.for count with a signed index";
  let description = [{
    Before: any `scf.for`. After: each counts with an index, and compares it with
    its sign: a loop over an integer has its bounds widened, and its body an
    induction variable that is cast back. An unsigned loop over 64 bits counts
    from 0 to its trip count, behind a `cf.assert` that its step is not 0; that
    any other step is 1 or more is for `flywheel-check-sizes` to check.

    Refuses integers of more than 64 bits, and constant steps below 1.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::scf::SCFDialect", "::flywheel::linalg_ext::LinalgExtDialect"
  ];
}

def ExpandAffineDivisions : Pass<"flywheel-expand-affine-divisions",
                                 "::mlir::func::FuncOp"> {
  let summary = "Expand affine ops that divide by a number of the step";
  let description = [{
    Before: `affine.apply`, `affine.min` and `affine.max` whose maps divide by a
    symbol, or take a remainder, which upstream defines for numbers above 0
    alone. After: each that divides by what is not constant is ops of `arith`,
    behind a `cf.assert` that each of its divisors is 1 or more. In a branch, a
    loop or a body, where the check comes only after all of it has run, a
    divisor is at least 1.

    Refuses constant divisors below 1, also where a symbol makes them.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::flywheel::linalg_ext::LinalgExtDialect"
  ];
  let statistics = [Statistic<"numExpanded", "num-expanded",
                              "Number of affine ops that were expanded">];
}

def CheckDivisions : Pass<"flywheel-check-divisions", "::mlir::func::FuncOp"> {
  let summary = "Make an integer division that has no result an error";
  let description = [{
    Before: integer divisions and remainders of tensors and scalars, of which
    LLVM leaves undefined those by zero and the smallest number by -1. After:
    each comes after a `cf.assert` that no element of its divisor is zero, so
    that a step which would divide by zero fails and changes nothing; and a
    signed one that could be by -1 is a negation there, or a remainder of 0: both
    wrap, as addition does. In a branch, a loop or a body, where the check comes
    only after all of it has run, the divisor is 1 where it would be 0. Constant
    divisors cost nothing. `math.ipowi` of 0 to a negative power is a division
    by zero.

    Refuses a constant divisor with a zero.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::flywheel::linalg_ext::LinalgExtDialect"
  ];
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

def ExpandMath : Pass<"flywheel-expand-math", "::mlir::func::FuncOp"> {
  let summary = "Replace f32 transcendental functions by polynomials";
  let description = [{
    Before: `math` ops on scalars and vectors. After: those of f32 and narrower
    types that upstream has an accurate polynomial for (exp, log, tanh, erf, ...)
    are arithmetic that vectorizes. So are `math.atan`, `math.atan2` and
    `math.erfc`, by polynomials of our own, and sines and cosines of vectors as
    long as no argument is larger than 65536. f64 is left for the C library, and
    so are those larger arguments.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
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

def VectorizeKernels : Pass<"flywheel-vectorize-kernels", "::mlir::func::FuncOp"> {
  let summary = "Lower structured ops on buffers to vector loops";
  let description = [{
    Before: `linalg` ops on memrefs. After: loops over `vector` ops (and scalar
    loops where an op has no vector form); no `linalg` op is left.

    Contractions of floats (matmul in every transposition, batched, or as a
    direct convolution) keep a tile of the output in vector registers over the
    whole reduction; a `linalg.fill` of the output right before is absorbed (the
    same SSA value: run CSE first), and what an elementwise op right after reads
    is prefetched. The tile size is that of `chooseContractionTile`.
    Other ops are vectorized along the loop that makes the most accesses
    contiguous, be it parallel or a reduction; float reductions are then
    reassociated. Tails are masked. Ops without a vector form, such as those with
    control flow in their body, become scalar loops.

    An input may be the same memory as an output only if both are accessed
    through the same indexing map, which is what one-shot bufferization makes.

    Refuses: structured ops on tensors, and ops of the dialect that are no
    structured ops, such as `linalg.pack`.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "512",
           "Width of a vector register in bits">,
    Option<"numVectorRegisters", "num-vector-registers", "unsigned", "32",
           "Number of vector registers">
  ];
  let statistics = [
    Statistic<"numContractions", "contractions",
              "Ops lowered to register-tiled contraction kernels">,
    Statistic<"numElementwise", "elementwise",
              "Ops lowered to loops over vectors">,
    Statistic<"numScalar", "scalar", "Ops lowered to scalar loops">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // FLYWHEEL_CODEGEN_CODEGENPASSES
