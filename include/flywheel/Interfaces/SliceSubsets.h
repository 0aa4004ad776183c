//===- SliceSubsets.h - Which slices are equal ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_SLICESUBSETS_H
#define FLYWHEEL_INTERFACES_SLICESUBSETS_H

#include "mlir/IR/DialectRegistry.h"

namespace flywheel {

/// Registers how slices of tensors are compared: by their offsets, sizes and
/// strides where these are the same attributes and values, or numbers that
/// differ, and only else as upstream does it, which solves a system of
/// inequalities for each pair. An op keeps the first answer that it is given:
/// call it before upstream's are registered.
void registerSliceSubsets(mlir::DialectRegistry &registry);

} // namespace flywheel

#endif // FLYWHEEL_INTERFACES_SLICESUBSETS_H
