//===- WeightDecoder.h - Weights that few bits stand for --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_CODEGEN_CPU_WEIGHTDECODER_H
#define FLYWHEEL_LIB_CODEGEN_CPU_WEIGHTDECODER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace flywheel {

/// Returns the elementwise op that computes the value of `input`, or the tensor
/// that it is a slice of, from narrow numbers of a variable or constant and
/// from fewer other numbers: `(w - zero) * scale`. It is null for other values,
/// and if one of those variables is overwritten before `input` is read.
/// Contractions compute tiles of its result where they read them: the whole
/// would take the memory that narrow weights save.
mlir::linalg::GenericOp findWeightDecoder(mlir::OpOperand &input);

/// Returns true if an input of `op` is decoded where `op` reads it.
bool readsDecodedWeights(mlir::linalg::LinalgOp op);

/// Replaces `op`, a contraction on tensors, by contractions of a part of its
/// reductions each, in loops, so that decoded tiles of its inputs are small.
/// Each adds to the result of the one before, so that the terms of a sum are
/// added in the same order. Returns the contractions: that of whole parts, and
/// those of the rest; their inputs are slices of those of `op`. Returns `op` if
/// the size of a reduction is dynamic. A decoded tile has `width` numbers for
/// each term of a sum.
llvm::SmallVector<mlir::linalg::LinalgOp>
blockReductions(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                int64_t width);

/// If `input` of a contraction is a slice of decoded weights, decodes this
/// slice, before the contraction; with `isWhole`, also weights that it reads
/// whole.
void decodeTile(mlir::RewriterBase &rewriter, mlir::OpOperand &input,
                bool isWhole = false);

} // namespace flywheel

#endif // FLYWHEEL_LIB_CODEGEN_CPU_WEIGHTDECODER_H
