//===- TargetOptions.h - The machine that is compiled for -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_OBJECT_TARGETOPTIONS_H
#define FLYWHEEL_TARGET_OBJECT_TARGETOPTIONS_H

#include <string>

namespace flywheel {

/// What to compile for. Empty strings mean the machine the compiler runs on.
struct TargetOptions {
  std::string triple;
  std::string cpu;
  /// LLVM feature string, for example `+avx2,+fma`.
  std::string features;
};

} // namespace flywheel

#endif // FLYWHEEL_TARGET_OBJECT_TARGETOPTIONS_H
