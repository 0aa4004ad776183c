//===- DimNames.h - Names of the dimensions of a feed -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DIALECT_TRAIN_DIMNAMES_H
#define FLYWHEEL_DIALECT_TRAIN_DIMNAMES_H

#include "llvm/ADT/StringRef.h"

namespace flywheel::train {

/// On a function argument: an array with a name for each dimension, "" for one
/// that the program does not name. Dynamic extents of one name are one number.
constexpr llvm::StringLiteral kDimsAttrName = "train.dims";

} // namespace flywheel::train

#endif // FLYWHEEL_DIALECT_TRAIN_DIMNAMES_H
