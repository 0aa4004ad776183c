//===- RandomStream.h - Counter-based random numbers in IR ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits draws from distributions, as f64 arithmetic on the bits of the one
// random generator of the project (`train.random_bits`): a draw is a function
// of a key and an index alone.
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_RANDOMSTREAM_H
#define FLYWHEEL_DIALECT_TRAIN_RANDOMSTREAM_H

#include "mlir/IR/Builders.h"

namespace flywheel::train {

/// On a function: the path of the object whose streams of random numbers its
/// ops draw from. The streams are the variables `PATH/random`, `PATH/random_1`,
/// ... in the order of the ops, and functions with one path share them.
constexpr llvm::StringLiteral kStreamsAttrName("train.streams");

/// The op seed of a variable that gives none: FNV-1a of its name, so that
/// adding a variable changes no other variable's stream.
int64_t getDefaultStreamSeed(llvm::StringRef variableName);

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
