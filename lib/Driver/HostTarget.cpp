//===- HostTarget.cpp - What a target's vector unit is --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/HostTarget.h"
#include "flywheel/Target/Object/TargetMachine.h"

#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace flywheel;

static llvm::Triple getTriple(const TargetOptions &options) {
  return llvm::Triple(options.triple.empty() ? llvm::sys::getProcessTriple()
                                             : options.triple);
}

llvm::StringRef flywheel::getDenormalControl(const TargetOptions &options) {
  llvm::Triple triple = getTriple(options);
  if (triple.getArch() == llvm::Triple::x86_64)
    return "x86";
  return triple.isAArch64() ? "aarch64" : "";
}
