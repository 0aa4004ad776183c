//===- CHeader.h - The C header of a model ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_CHEADER_CHEADER_H
#define FLYWHEEL_TARGET_CHEADER_CHEADER_H

#include "flywheel/Model/Manifest.h"

#include <string>

namespace flywheel {

/// The header (C99, also C++) of the functions that
/// `flywheel-emit-entry-points` exports: the size of the state block for
/// dimension sizes up to `bounds`, which must be those given to that pass, the
/// functions with the shape and dtype of every argument, and access to
/// variables by name.
std::string emitCHeader(const Manifest &manifest, const DimSizeBounds &bounds);

} // namespace flywheel

#endif // FLYWHEEL_TARGET_CHEADER_CHEADER_H
