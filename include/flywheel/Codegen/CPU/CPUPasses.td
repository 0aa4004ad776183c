//===- CPUPasses.td - Passes that write CPU kernels --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_CPU_CPUPASSES
#define FLYWHEEL_CODEGEN_CPU_CPUPASSES

include "mlir/Pass/PassBase.td"

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

#endif // FLYWHEEL_CODEGEN_CPU_CPUPASSES
