//===- LowerTriangular.h - Loops of factors and systems ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_COMMON_LOWERTRIANGULAR_H
#define FLYWHEEL_LIB_CODEGEN_COMMON_LOWERTRIANGULAR_H

#include "flywheel/Dialect/LinalgExt/LinalgExt.h"

namespace flywheel {

/// Emit loops, before `op`, that compute the results of `op` in its buffers.
void lowerCholesky(linalg_ext::CholeskyOp op);
void lowerTriangularSolve(linalg_ext::TriangularSolveOp op);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_COMMON_LOWERTRIANGULAR_H
