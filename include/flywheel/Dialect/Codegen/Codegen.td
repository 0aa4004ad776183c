//===- Codegen.td - The codegen dialect --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_CODEGEN_CODEGEN
#define FLYWHEEL_DIALECT_CODEGEN_CODEGEN

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Codegen_Dialect : Dialect {
  let name = "codegen";
  let cppNamespace = "::flywheel::codegen";
  let summary = "The target machine, and how each kernel is computed on it";
  let description = [{
    `codegen.target` is an attribute of a module. It describes the machine that
    the module is compiled for. `flywheel-attach-target` sets it; a module that
    has one keeps it.

    `codegen.schedule` is an attribute of a structured op. It says which family of
    instructions computes the op, and in which tiles. `flywheel-choose-schedules`
    sets it on the root of each fused group; an op that has one keeps it. So a
    person can edit the attribute between two stages and see what happens.

    `codegen.worker`, `codegen.num_workers` and `codegen.barrier` are the ops of a
    function that several workers execute at the same time, each with its share of
    the iterations of some loops. `flywheel-distribute-step` makes them.
    `codegen.workers` of such a function is the largest number of workers that may
    execute it, and `codegen.private` of a `memref.alloc` in it says that each
    worker has a buffer of its own.

    `codegen.panel` of a `linalg.copy` says that a schedule asks for the copy, with
    `pack`: it may be one of a whole variable.
    `codegen.overlap` of an `scf.forall` of tiles, a list of its loops, says that
    the last tile along these is as large as the others: it starts within the tile
    before, and computes a part of that once more.
    `codegen.profile_begin` and `codegen.profile_end` are around what is measured.
    `codegen.work`, a number of a structured op, says which op of the program its
    tiles are of: `codegen.work_table` of the function has what each one takes.
    `codegen.contractions` of a function says how many contractions a call of it
    computes.
    `codegen.traffic` of a launch says what it reads, writes and computes.
    `codegen.set`, a number of structured ops, says which of them share a launch of
    a GPU with each other, and with nothing else.
    `codegen.along` of a structured op in a group of a GPU maps indices of the
    result of the contraction at the front of the group to the iteration that uses
    this element: both are computed by the same thread.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getTargetAttrName() { return "codegen.target"; }
    static ::llvm::StringRef getScheduleAttrName() { return "codegen.schedule"; }
    static ::llvm::StringRef getWorkersAttrName() { return "codegen.workers"; }
    static ::llvm::StringRef getPrivateAttrName() { return "codegen.private"; }
    static ::llvm::StringRef getPanelAttrName() { return "codegen.panel"; }
    static ::llvm::StringRef getOverlapAttrName() { return "codegen.overlap"; }
    static ::llvm::StringRef getWorkAttrName() { return "codegen.work"; }
    static ::llvm::StringRef getWorkTableAttrName() {
      return "codegen.work_table";
    }
    static ::llvm::StringRef getContractionsAttrName() {
      return "codegen.contractions";
    }
    static ::llvm::StringRef getAlongAttrName() { return "codegen.along"; }
    static ::llvm::StringRef getSetAttrName() { return "codegen.set"; }
    static ::llvm::StringRef getTrafficAttrName() { return "codegen.traffic"; }
    /// The largest number of workers that a step can have.
    static constexpr int64_t kMaxWorkers = 256;
    void registerAttributes();
  }];
}

class Codegen_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Codegen_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

def Codegen_TargetAttrInterface : AttrInterface<"TargetAttrInterface"> {
  let cppNamespace = "::flywheel::codegen";
  let description = [{
    A machine that steps are executed on: a value of `codegen.target`. There is one
    such attribute for each kind of machine. Its methods answer the questions of
    passes that every back end uses.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns true if the machine multiplies and adds f32 and f64 in one
      instruction.
    }], "bool", "hasMultiplyAdd">,
    InterfaceMethod<[{
      Returns true if loops of steps may have buffers on the stack of the host.
    }], "bool", "hasHostStack">
  ];
}

class Codegen_Target<string name, string attrMnemonic>
    : Codegen_Attr<name, attrMnemonic,
        [DeclareAttrInterfaceMethods<Codegen_TargetAttrInterface>]>;

def Codegen_CPUAttr : Codegen_Target<"CPU", "cpu"> {
  let summary = "The vector unit, caches and cores of a CPU, which schedules are chosen for";
  let description = [{
    `vector_bits` and `vector_registers` are those of the widest vector unit,
    `l1_bytes` and `l2_bytes` the data caches of one core, `cores` the number of
    cores that a step may use, and `features` the LLVM names of the extensions that
    a kernel can be made of, beside plain vectors. A vector has 64 to 2048 bits, a
    power of two. A cache has 1 KiB to 4 GiB, the second one no less than the first.

    Example: `#codegen.cpu<vector_bits = 512, vector_registers = 32,
    l1_bytes = 49152, l2_bytes = 2097152, cores = 1, features = ["avx512bf16"]>`
  }];
  let parameters = (ins "int64_t":$vectorBits, "int64_t":$vectorRegisters,
                        "int64_t":$l1Bytes, "int64_t":$l2Bytes,
                        "int64_t":$cores, "::mlir::ArrayAttr":$features);
  let assemblyFormat = [{
    `<` `vector_bits` `=` $vectorBits `,` `vector_registers` `=` $vectorRegisters
    `,` `l1_bytes` `=` $l1Bytes `,` `l2_bytes` `=` $l2Bytes `,` `cores` `=` $cores
    `,` `features` `=` $features `>`
  }];
  let genVerifyDecl = 1;
}

def Codegen_GPUAttr : Codegen_Target<"GPU", "gpu"> {
  let summary = "A GPU that steps are executed on";
  let description = [{
    `chip` is the architecture, as NVIDIA or AMD names it: kernels are made for it.
    `image` is the form of device code: `ptx`, `hsaco` of AMD, or `bitcode` of LLVM,
    which a simulator on the host executes. With `tf32`, products of f32 may round
    their operands to the 10 bits of fraction that tensor cores multiply. Object
    files have code for the chips in `others` too, each at least as new.
    `multiprocessors` execute blocks at the same time, and `cache_bytes` are those of
    the cache that they share: tiles, groups of ops and pieces of reductions are
    chosen for them. By default they are those of a large GPU, whatever the chip.
    `workgroup_bytes`, 32 KiB to 48 KiB, or to 64 KiB of AMD, are the workgroup memory
    of a block: by default what every chip has.

    Example: `#codegen.gpu<chip = "sm_80", image = "ptx", others = ["sm_90a"]>`
  }];
  let parameters = (ins "::mlir::StringAttr":$chip, "::mlir::StringAttr":$image,
                        DefaultValuedParameter<"bool", "false">:$tf32,
                        OptionalParameter<"::mlir::ArrayAttr">:$others,
                        DefaultValuedParameter<"int64_t", "kMultiprocessors">:$multiprocessors,
                        DefaultValuedParameter<"int64_t", "kCacheBytes">:$cache_bytes,
                        DefaultValuedParameter<"int64_t", "kWorkgroupBytes">:$workgroup_bytes);
  let builders = [AttrBuilder<(ins "::mlir::StringAttr":$chip,
                                   "::mlir::StringAttr":$image,
                                   CArg<"bool", "false">:$tf32,
                                   CArg<"::mlir::ArrayAttr", "{}">:$others), [{
    return $_get($_ctxt, chip, image, tf32, others, kMultiprocessors, kCacheBytes,
                 kWorkgroupBytes);
  }]>];
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    static constexpr int64_t kMultiprocessors = 132, kCacheBytes = 40 << 20,
                             kWorkgroupBytes = 48 << 10;

    /// Returns true if the chip has the instructions of a generation: 80 for
    /// sm_80 and later.
    bool isAtLeast(unsigned generation) const;

    /// Returns true if code is for a GPU of AMD.
    bool isAMD() const;
  }];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

def Codegen_ScheduleAttrInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::flywheel::codegen";
  let description = [{
    The schedule of one structured op. There is one such attribute for each family
    of kernels.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits an error at `op` and fails if `op` cannot have this schedule. `op` is
      any op.
    }], "::llvm::LogicalResult", "verifySchedule", (ins "::mlir::Operation *":$op)>,
    InterfaceMethod<[{
      The sizes of tiles, a list for each level from outside to inside, with one
      number for each loop of the op: 0 does not tile the loop.
    }], "::llvm::ArrayRef<::mlir::DenseI64ArrayAttr>", "getTiles", (ins), "",
        "return {};">
  ];
}

class Codegen_Schedule<string name, string attrMnemonic, list<string> methods>
    : Codegen_Attr<name, attrMnemonic,
        [DeclareAttrInterfaceMethods<Codegen_ScheduleAttrInterface, methods>]>;

def Codegen_FMAAttr : Codegen_Schedule<"FMA", "fma", ["getTiles"]> {
  let summary = "A contraction by vector multiply-adds on a tile in registers";
  let description = [{
    For a contraction C += A * B, in which every loop is one of
     * `columns`: the loop along vectors of B and C, and on buffers of A too, as in
       a depthwise convolution;
     * `rows`: the loops whose iterations share the vectors of B. A is broadcast;
     * the other parallel loops, one iteration at a time;
     * `passes`: reduction loops around all others. Each pass adds to C;
     * the other reduction loops, innermost, with C in registers.

    `registers` are the rows and columns of C that are kept in registers.

    With `along`, the lanes of vectors are iterations of that reduction loop, of A and
    of B. Each element of C in registers is then a vector of partial sums, whose lanes
    are added at the end. So C may be narrow, or B have its columns far apart.

    With `block`, the kernel takes `block` iterations of the last reduction loop at a
    time, for all columns, and adds to C each time: B is read as it lies in memory,
    for few rows that cannot wait for it. With `pairs`, two neighbouring iterations of
    the last reduction, or of that along the lanes, are one instruction, which
    multiplies bf16 and adds to f32.

    `tiles` are the sizes of tiles of the fused group, a list for each level
    from outside to inside and a number for each loop. 0 does not tile a loop.
    Each level is an `scf.forall`. Ops right after the contraction, element for
    element, are computed tile by tile in the innermost level. With `pack`, the
    outermost level copies the part of B that its tile reads into a panel with
    contiguous rows. `workers` is how many workers share the outermost level. In
    the tile that `flywheel-tile-and-fuse` makes, the contraction keeps its
    loops and registers, without `tiles` and `pack`.

    There are at most 4 levels of tiles, and at most 16384 elements of C in the code
    of one kernel: rows of several loops are all unrolled, those of one loop are as
    many as are in registers.

    Example, for C[m, n] += A[m, k] * B[n, k]: `#codegen.fma<tiles = [[0, 32, 0],
    [8, 0, 0]], rows = [0], columns = 1, registers = [8, 32], pack = true>`. The same
    for two rows: `#codegen.fma<tiles = [], rows = [0], columns = 1, registers = [2, 8],
    along = 2>`
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$tiles,
    "::mlir::DenseI64ArrayAttr":$rows, "int64_t":$columns,
    "::mlir::DenseI64ArrayAttr":$registers,
    OptionalParameter<"std::optional<int64_t>">:$along,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$passes,
    OptionalParameter<"std::optional<int64_t>">:$block,
    DefaultValuedParameter<"bool", "false">:$pairs,
    DefaultValuedParameter<"bool", "false">:$pack,
    DefaultValuedParameter<"int64_t", "1">:$workers);
  let assemblyFormat = [{
    `<` struct(custom<Tiles>($tiles), $rows, $columns, $registers, $along, $passes,
               $block, $pairs, $pack, $workers) `>`
  }];
  let extraClassDeclaration = [{
    /// The largest number of iterations in a tile, and of levels of tiles.
    static constexpr int64_t kMaxTile = int64_t{1} << 24;
    static constexpr int64_t kMaxLevels = 4;

    /// Returns the maximum number of iterations of `loop` in the innermost
    /// tile; the loop has `size` iterations, or a dynamic number. Returns a
    /// dynamic size if the maximum is unknown.
    int64_t getTileSize(int64_t loop, int64_t size) const;

    /// The schedule of the op in the innermost tile: the same registers.
    FMAAttr getRegisterPart() const;
  }];
  let genVerifyDecl = 1;
}

def Codegen_VectorAttr : Codegen_Schedule<"Vector", "vector", []> {
  let summary = "An elementwise op or a reduction over vectors";
  let description = [{
    The iterations of the loop `along` are the lanes of vectors of `lanes`
    elements. Blocks of inputs that are contiguous along the loop `transpose`,
    and not along `along`, are transposed in registers. If `along` is parallel,
    reductions run inside it for `interleave` neighbouring vectors together,
    from 1 to 32.

    Example: `#codegen.vector<along = 1, lanes = 16, transpose = 0>`
  }];
  let parameters = (ins "int64_t":$along, "int64_t":$lanes,
                        OptionalParameter<"std::optional<int64_t>">:$transpose,
                        DefaultValuedParameter<"int64_t", "kDefaultInterleave">:$interleave);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    static constexpr int64_t kDefaultInterleave = 4;
  }];
  let genVerifyDecl = 1;
}

def Codegen_LoopsAttr : Codegen_Schedule<"Loops", "loops", []> {
  let summary = "One plain loop nest, element by element";
}

def Codegen_BlockAttr : Codegen_Schedule<"Block", "block", []> {
  let summary = "A contraction by the threads of a block of a GPU";
  let description = [{
    For a contraction C += A * B. A block computes `tile` of C, with a number for
    each loop: how many iterations of a parallel loop, and 0 for a reduction. Tiles
    of A and B are copied to workgroup memory `depth` terms at a time, in `stages`
    places in turn: some are on their way while another one is used. C is in
    registers over all terms.

    `unit` is what multiplies:
     * `fma`: each thread, its elements of C one by one;
     * `mma`: the tensor cores, which a warp uses together. Both factors are f16 or
       bf16, or f32 that is rounded to tf32, and sums are f32. `depth` is then a
       multiple of 16, of 8 for f32.

    Example, for C[m, n] += A[m, k] * B[k, n]:
    `#codegen.block<unit = "mma", tile = [128, 64, 0], depth = 32, stages = 3>`
  }];
  let parameters = (ins "::mlir::StringAttr":$unit,
                        "::mlir::DenseI64ArrayAttr":$tile, "int64_t":$depth,
                        "int64_t":$stages);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    static constexpr int64_t kMaxSide = 128, kMaxDepth = 128, kMaxStages = 4;

    bool usesTensorCores() const { return getUnit() == "mma"; }
  }];
  let genVerifyDecl = 1;
}

def Codegen_TrafficAttr : Codegen_Attr<"Traffic", "traffic"> {
  let summary = "The bytes and the operations of one launch of a GPU";
  let description = [{
    `read` and `written` are bytes of buffers of the device that the launch
    uses, each counted once: what it moves at least. `accessed` are the bytes
    that its blocks ask for: what several blocks read is counted for each.
    `flops` are operations on floats. A size that the call chooses counts as 64,
    or as `flywheel-form-gpu-groups` has been told. An op that becomes several
    launches has a list of these.

    Example: `#codegen.traffic<read = 131072, written = 65536, accessed = 458752,
    flops = 8388608>`
  }];
  let parameters = (ins "int64_t":$read, "int64_t":$written,
                        "int64_t":$accessed, "int64_t":$flops);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

class Codegen_Op<string opMnemonic, list<Trait> traits>
    : Op<Codegen_Dialect, opMnemonic, traits>;

def Codegen_WorkerOp : Codegen_Op<"worker", [Pure]> {
  let summary = "The number of the worker that executes the function";
  let description = [{
    0 <= `worker` < `num_workers`. Constant during an execution of the function.

    ```mlir
    %worker = codegen.worker : index
    ```
  }];
  let results = (outs Index:$number);
  let assemblyFormat = "attr-dict `:` type($number)";
}

def Codegen_NumWorkersOp : Codegen_Op<"num_workers", [Pure]> {
  let summary = "The number of workers that execute the function at the same time";
  let description = [{
    At least 1. The same for all of them.

    ```mlir
    %count = codegen.num_workers : index
    ```
  }];
  let results = (outs Index:$count);
  let assemblyFormat = "attr-dict `:` type($count)";
}

def Codegen_BarrierOp : Codegen_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until all workers are here";
  let description = [{
    Writes of any worker before it are visible to all workers after it. All
    workers execute the same barriers in the same order.
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

def Codegen_ProfileBeginOp
    : Codegen_Op<"profile_begin", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The counter of time before a kernel";
  let description = [{
    Ticks of the counter of the processor. No memory access moves across it.

    ```mlir
    %start = codegen.profile_begin : i64
    ```
  }];
  let results = (outs I64:$start);
  let assemblyFormat = "attr-dict `:` type($start)";
}

def Codegen_ProfileEndOp
    : Codegen_Op<"profile_end", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Add a call of a kernel, and its time, to the profile";
  let description = [{
    `kernel` is the number of the kernel among those of all entries, `start` what
    `codegen.profile_begin` gave in front of it, and `state` the block of state,
    which the profile is a part of. Each worker has counters of its own.

    ```mlir
    codegen.profile_end 3 from %start in %state : memref<?xi8>
    ```
  }];
  let arguments = (ins I64Attr:$kernel, I64:$start,
                       MemRefRankOf<[I8], [1]>:$state);
  let assemblyFormat = "$kernel `from` $start `in` $state attr-dict `:` type($state)";
}

#endif // FLYWHEEL_DIALECT_CODEGEN_CODEGEN
