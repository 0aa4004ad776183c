//===- HostTarget.cpp - What a target's vector unit is --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/HostTarget.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
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
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  bool isHost = options.triple.empty();
  llvm::Triple triple = getTriple(options);
  std::string cpu = options.cpu;
  llvm::SubtargetFeatures features;
  if (cpu == "host" || (isHost && cpu.empty())) {
    cpu = llvm::sys::getHostCPUName().str();
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.AddFeature(feature.first(), feature.second);
  }
  // What the user asks for has the last word.
  llvm::SubtargetFeatures asked(options.features);
  for (const std::string &feature : asked.getFeatures())
    if (!feature.empty())
      features.AddFeature(feature);
  CpuTarget result{/*vectorBits=*/128, /*numVectorRegisters=*/16,
                   /*convertsHalves=*/false};
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return result;
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, cpu, features.getString()));
  if (!info)
    return result;
  if (triple.isX86()) {
    bool convertsHalves = info->checkFeatures("+f16c");
    if (info->checkFeatures("+avx512f") && info->checkFeatures("+avx512vl"))
      return {512, 32, convertsHalves};
    if (info->checkFeatures("+avx2"))
      return {256, 16, convertsHalves};
    return {128, 16, convertsHalves};
  }
  if (triple.isAArch64())
    return {128, 32, /*convertsHalves=*/true};
  return result;
}
