//===- HostTarget.cpp - What a target's vector unit is --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/HostTarget.h"
#include "flywheel/Target/TargetMachine.h"

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

CpuTarget flywheel::getCpuTarget(const TargetOptions &options) {
  llvm::Triple triple = getTriple(options);
  CpuTarget result{/*vectorBits=*/128, /*numVectorRegisters=*/16};
  std::unique_ptr<llvm::MCSubtargetInfo> info = createSubtargetInfo(options);
  if (!info)
    return result;
  if (triple.isX86()) {
    if (info->checkFeatures("+avx512f") && info->checkFeatures("+avx512vl"))
      return {512, 32};
    if (info->checkFeatures("+avx2"))
      return {256, 16};
    return {128, 16};
  }
  if (triple.isAArch64())
    return {128, 32};
  return result;
}
