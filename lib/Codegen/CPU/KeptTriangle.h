//===- KeptTriangle.h - What an epilogue keeps of a matrix ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_KEPTTRIANGLE_H
#define FLYWHEEL_LIB_CODEGEN_CPU_KEPTTRIANGLE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace flywheel {

/// The elements of a matrix whose index along `first` is at most that along
/// `second` plus `shift`: a lower triangle where `first` is that of the
/// columns.
struct KeptTriangle {
  unsigned first, second;
  int64_t shift;

  bool operator==(const KeptTriangle &other) const {
    return first == other.first && second == other.second &&
           shift == other.shift;
  }
};

/// The elements of `operand` that the results of `op` depend on, by loops of
/// `op`, which visits each element once; none if that may be all. The others
/// reach nothing but an `arith.select` that takes its other operand for them.
std::optional<KeptTriangle> findKeptTriangle(mlir::linalg::GenericOp op,
                                             mlir::OpOperand &operand);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_KEPTTRIANGLE_H
