//===- SliceSubsets.h - Which slices are equal ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_INTERFACES_SLICESUBSETS_H
#define FLYWHEEL_INTERFACES_SLICESUBSETS_H

#include "mlir/IR/DialectRegistry.h"

namespace flywheel {

/// Registers the comparison of slices of tensors: by their offsets, sizes and
/// strides if these are the same attributes and values, or constants that
/// differ. Otherwise, upstream's comparison solves a system of inequalities for
/// each pair. An op keeps the first model that is registered: call this before
/// upstream's are registered.
void registerSliceSubsets(mlir::DialectRegistry &registry);

} // namespace flywheel

#endif // FLYWHEEL_INTERFACES_SLICESUBSETS_H
