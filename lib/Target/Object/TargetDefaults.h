//===- TargetDefaults.h - Defaults of a triple ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_LIB_TARGET_OBJECT_TARGETDEFAULTS_H
#define FLYWHEEL_LIB_TARGET_OBJECT_TARGETDEFAULTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"

#include <string>

namespace flywheel {

/// Returns true if Flywheel can write objects for this architecture.
bool isSupportedTarget(const llvm::Triple &triple);

/// Returns the architectures for which isSupportedTarget() holds, and which
/// this program has been linked with, in words.
std::string listSupportedTargets();

/// Returns the features that C compilers assume if only the triple is given:
/// those that the floating-point ABI of its libraries needs. Empty if LLVM
/// enables them for every CPU of the architecture.
llvm::StringRef getABIFeatures(const llvm::Triple &triple);

/// Returns true if a feature, with its sign, removes the registers in which the
/// ABI of the triple passes numbers, or contradicts the triple.
bool changesABI(llvm::StringRef feature, const llvm::Triple &triple);

/// Returns the name of the ABI that passes floating-point numbers in the
/// available registers; empty if the triple determines it.
llvm::StringRef getABIName(const llvm::Triple &triple,
                           const llvm::MCSubtargetInfo &subtarget);

} // namespace flywheel

#endif // FLYWHEEL_LIB_TARGET_OBJECT_TARGETDEFAULTS_H
