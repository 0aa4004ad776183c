//===- UniqueName.h - Names that are not taken ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_SUPPORT_UNIQUENAME_H
#define FLYWHEEL_SUPPORT_UNIQUENAME_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace flywheel {

/// Returns the first of `base`, `base_1`, `base_2`, ... that is not taken.
inline std::string
makeUniqueName(llvm::StringRef base,
               llvm::function_ref<bool(llvm::StringRef)> isTaken) {
  std::string name = base.str();
  for (unsigned i = 1; isTaken(name); ++i)
    name = base.str() + "_" + std::to_string(i);
  return name;
}

} // namespace flywheel

#endif // FLYWHEEL_SUPPORT_UNIQUENAME_H
