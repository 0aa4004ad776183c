//===- CodegenPasses.td - CPU code generation passes -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_CODEGEN_CODEGENPASSES
#define FLYWHEEL_CODEGEN_CODEGENPASSES

include "mlir/Pass/PassBase.td"

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
