//===- EntryPointsPasses.td - What a user can call ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_ENTRYPOINTS_ENTRYPOINTSPASSES
#define FLYWHEEL_TARGET_ENTRYPOINTS_ENTRYPOINTSPASSES

include "mlir/Pass/PassBase.td"

def LowerWorkers : Pass<"flywheel-lower-workers", "::mlir::ModuleOp"> {
  let summary = "Tell functions which worker executes them, and in which team";
  let description = [{
    Before: functions that several workers execute at the same time, with
    `codegen.worker`, `codegen.num_workers` and `codegen.barrier`, and the
    attribute `codegen.workers` where nothing calls them yet.

    After: such a function, and what calls one, has two more arguments: the
    number of its worker, an index, and a pointer to its team, the
    `flywheel_team` of the C header, or null for a single worker. The ops are
    gone: `team.barrier` calls the function `barrier` of the team, if there is
    one. A function without these ops has no `codegen.workers`: one thread
    executes it.

    A function with a barrier must have no argument whose memory LLVM may take
    to be unchanged by a call (`llvm.noalias`).

    ```mlir
    func.func @step.kernel(%x: memref<8xf32>) -> i32 attributes {codegen.workers = 2} {
      %worker = codegen.worker : index
      codegen.barrier
      ...
    // becomes
    func.func @step.kernel(%x: memref<8xf32>, %worker: index, %team: !llvm.ptr) -> i32
        attributes {codegen.workers = 2} {
      %number = arith.index_cast %worker : index to i32
      call @team.barrier(%team, %number) : (!llvm.ptr, i32) -> ()
      ...
    ```

    Refuses: the ops outside of a function, and in one that nothing calls and
    that does not say for how many workers it is; a function of workers with an
    `llvm.noalias` argument.
  }];
  let statistics = [
    Statistic<"numFunctions", "functions", "Number of functions for workers">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

def EmitEntryPoints
    : Pass<"flywheel-emit-entry-points", "::mlir::ModuleOp"> {
  let summary = "Wrap the kernels of a model in functions that a user can call";
  let description = [{
    Before: a module with a `train.manifest` attribute and, for each of its
    entries E, a function `E.kernel` that takes memrefs (the state and the
    workspace as bytes, each feed, the destination of each result) and returns 0
    or 1 + the index of a message.

    After: for each entry, with the model's name M as a C identifier, there is a
    function `M_E.packed(state, workspace, feeds, dimension sizes, results) ->
    i32` of five pointers, which a JIT session calls. It checks that the state
    block is given, aligned and of this layout, that every feed and result is
    given and that every variable that the entry reads has a value; it calls the
    kernel; on success it marks the variables that the entry writes as
    initialised; it stores the status in the block and returns it. A failing
    call changes nothing else.

    With `c-interface` there are also the exported functions `M_E(s, feeds and
    dimension sizes..., results...)`, `M_init(s, seed)` and `M_last_error(s)`. With
    these the workspace follows the state in the caller's block, and every
    symbolic size is checked against its bound, from `max-dim-sizes` or else
    `max-dim-size`. Each of these functions also has a second name, by which the C
    header calls it: it ends in a hash of the interface, so that a header with
    other bounds or parameters does not link. The layout hash becomes one of the
    block with the workspace. The messages of the new checks are appended to the
    manifest.

    With `threads` above 1, or a kernel with `codegen.workers`, all packed forms
    but that of the initializer have a sixth argument, and the functions of the C
    interface a second one: a pointer to a `flywheel_team`, which may be null.
    `flywheel-lower-workers` has given a kernel with `codegen.workers` two more
    arguments; each worker of the team runs it with its number, between a switch
    of its own mode of denormal numbers and back. A kernel without that
    attribute runs in the caller, and its entry does not touch the team. So does
    the initializer, as worker 0 of a single one. A team of more workers than
    `codegen.workers` says, of less than one, or without functions is an error.

    Control flow is that of `scf`. Memory of the caller is accessed by pointers of
    the LLVM dialect, as the interface is one of C, and becomes a memref by a cast
    of its descriptor.

    The entry `init`, where there is one, has the feeds `seed`, `runs` and
    `select`: the run counters come from the header of the block, the selection
    from the caller, and the entry adopts a block that was never initialised.

    Refuses: a missing or malformed manifest, an entry without a kernel, a
    kernel whose signature does not match its entry, an `init` with other feeds
    than those three, and names that clash in C.
  }];
  let options = [
    Option<"cInterface", "c-interface", "bool", /*default=*/"true",
           "Also emit the functions that the C header declares">,
    Option<"maxDimSize", "max-dim-size", "int64_t", /*default=*/"1024",
           "Bound of the symbolic sizes in the C interface">,
    ListOption<"maxDimSizes", "max-dim-sizes", "std::string",
               "Bounds of single sizes, by name: time=256">,
    Option<"flushDenormals", "flush-denormals", "std::string",
           /*default=*/"\"\"",
           "Run kernels with denormal numbers flushed to zero by the control "
           "register of `x86` or `aarch64`; empty to leave them alone">,
    Option<"threads", "threads", "int64_t", /*default=*/"1",
           "How many threads the model is compiled for">
  ];
  let statistics = [
    Statistic<"numEntries", "entries", "Number of entries wrapped">,
    Statistic<"numMessages", "messages", "Number of messages appended">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExportEntryPoints
    : Pass<"flywheel-export-entry-points", "::mlir::ModuleOp"> {
  let summary = "Let a linker see what a user can call, and nothing else";
  let description = [{
    Before: a module of the LLVM dialect on which `flywheel-emit-entry-points`
    has run with the same options.

    After: the packed forms are hidden, the functions of the C interface are
    exported, and every other function and global that has a definition is
    private to the object. Each function of the C interface is also there under
    the name by which the C header calls it: with a hash of the interface behind
    it, so that a header of other bounds or parameters does not link. Kernels
    are not inlined: arithmetic must not move across the switch of the mode of
    denormal numbers.

    Refuses: a missing or malformed manifest, and a missing function.
  }];
  let options = [
    Option<"cInterface", "c-interface", "bool", /*default=*/"true",
           "Export the functions that the C header declares">,
    Option<"maxDimSize", "max-dim-size", "int64_t", /*default=*/"1024",
           "Bound of the symbolic dimension sizes in the C interface">,
    ListOption<"maxDimSizes", "max-dim-sizes", "std::string",
               "Bounds of single dimension sizes, by name: time=256">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // FLYWHEEL_TARGET_ENTRYPOINTS_ENTRYPOINTSPASSES
