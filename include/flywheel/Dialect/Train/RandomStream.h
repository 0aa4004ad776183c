//===- RandomStream.h - Counter-based random numbers in IR ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the one random generator of the project as integer and f64 arithmetic
// (no library call, no contraction), so that every target gives the same bits.
//
// The generator is Philox4x32-10 (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011): counter = (index, 0), key = stream key. A draw is
// a function of (key, index) alone, so any element can be made anywhere.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_RANDOMSTREAM_H
#define FLYWHEEL_DIALECT_TRAIN_RANDOMSTREAM_H

#include "mlir/IR/Builders.h"

namespace flywheel::train {

/// Emits the key (i64) of the stream of one random op: a mix of the graph seed
/// (i64), the op seed and the run counter of the initializer (i64).
mlir::Value buildStreamKey(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value graphSeed, int64_t opSeed,
                           mlir::Value run);

/// The op seed of a variable that gives none: FNV-1a of its name, so that
/// adding a variable changes no other variable's stream.
int64_t getDefaultStreamSeed(llvm::StringRef variableName);

/// Emits 64 random bits (i64) of the stream `key` at `index` (i64).
mlir::Value buildRandomBits(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value key, mlir::Value index);

/// Emits a uniform f64 on [0, 1): the upper 53 bits, times 2^-53.
mlir::Value buildUniform(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value key, mlir::Value index);

/// Emits a standard normal f64 by inversion of one uniform draw.
mlir::Value buildStandardNormal(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value key, mlir::Value index);

/// Emits a standard normal f64 conditioned on [-2, 2], by inversion.
mlir::Value buildTruncatedNormal(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::Value key, mlir::Value index);

} // namespace flywheel::train

#endif // FLYWHEEL_DIALECT_TRAIN_RANDOMSTREAM_H
