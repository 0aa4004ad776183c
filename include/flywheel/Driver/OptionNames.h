//===- OptionNames.h - Options that LLVM has too ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_OPTIONNAMES_H
#define FLYWHEEL_DRIVER_OPTIONNAMES_H

#include "llvm/Support/CommandLine.h"

namespace flywheel {

/// The name of an option of ours. One of LLVM's libraries that has it gives
/// way.
inline llvm::StringRef takeOptionName(llvm::StringRef name) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto known = options.find(name);
  if (known != options.end())
    known->second->removeArgument();
  return name;
}

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_OPTIONNAMES_H
