//===- ContractionPlan.h - Roles in a contraction ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_CONTRACTIONPLAN_H
#define FLYWHEEL_LIB_CODEGEN_CPU_CONTRACTIONPLAN_H

#include "KernelEmitter.h"

namespace flywheel {

/// A contraction with its loops and operands in their roles.
struct Contraction {
  mlir::linalg::LinalgOp op;
  /// The operand that is broadcast, the one read as vectors, and the output.
  mlir::OpOperand *a = nullptr, *b = nullptr, *c = nullptr;
  mlir::AffineMap aMap, bMap, cMap;
  /// The loop along vectors, along rows if there is one, and the others.
  unsigned n = 0;
  std::optional<unsigned> m;
  /// Loops around m, of static size as it is, that are along rows as well: a
  /// row is an iteration of all of them. None where m alone has enough.
  llvm::SmallVector<unsigned> moreRows;
  llvm::SmallVector<unsigned> outer, k;
  /// B is strided along n, and blocks of it are to be packed.
  bool packs = false;
};

/// Assigns the roles of loops and operands, the best first. Fails if `op` is no
/// contraction of floats on buffers, or if there is no loop along which the
/// output is contiguous and one input is constant.
mlir::FailureOr<Contraction> matchContraction(mlir::linalg::LinalgOp op);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_CONTRACTIONPLAN_H
