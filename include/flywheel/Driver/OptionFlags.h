//===- OptionFlags.h - Options of compilations on command lines -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_DRIVER_OPTIONFLAGS_H
#define FLYWHEEL_DRIVER_OPTIONFLAGS_H

#include "flywheel/Driver/OptionTable.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace flywheel {

/// Options of the table as options of a command line. Made before the command
/// line is parsed; an option of LLVM's libraries that has the name of one gives
/// way.
class OptionFlags {
public:
  /// Registers the options with these names, as in Python.
  OptionFlags(llvm::ArrayRef<llvm::StringRef> names,
              llvm::cl::OptionCategory &category);
  ~OptionFlags();

  bool isGiven(llvm::StringRef name) const;
  /// Sets the options that were given. Returns an error if one lacks another
  /// one, or excludes it.
  llvm::Error apply(CompilerOptions &options) const;

private:
  class Flag;
  std::vector<std::unique_ptr<Flag>> flags;
};

} // namespace flywheel

#endif // FLYWHEEL_DRIVER_OPTIONFLAGS_H
