//===- TargetMachine.cpp - What machine code is made for ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/TargetMachine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace flywheel {

/// The host alone is cheap to set up; every target is needed only for cross
/// compilation. Both may be called any number of times.
static void initializeTargets(bool hostOnly) {
  if (hostOnly) {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    return;
  }
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers();
}

static std::string listTargets() {
  SmallVector<std::string> names;
  for (const Target &target : TargetRegistry::targets())
    names.push_back(target.getName());
  llvm::sort(names);
  return llvm::join(names, ", ");
}

static std::string getHostFeatures() {
  SubtargetFeatures features;
  for (const auto &feature : sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

Expected<std::unique_ptr<TargetMachine>>
createTargetMachine(const CodegenOptions &options) {
  const TargetOptions &wanted = options.target;
  bool isHost = wanted.triple.empty();
  initializeTargets(isHost);

  Triple triple(isHost ? sys::getProcessTriple()
                       : Triple::normalize(wanted.triple));
  std::string reason;
  const Target *target = TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return createStringError("no target for the triple '" + wanted.triple +
                             "'; registered targets: " + listTargets());

  bool isHostCPU = wanted.cpu == "host" || (wanted.cpu.empty() && isHost);
  std::string cpu = isHostCPU ? sys::getHostCPUName().str() : wanted.cpu;
  std::string features = wanted.features;
  if (isHostCPU) {
    features = getHostFeatures();
    if (!wanted.features.empty())
      features += "," + wanted.features;
  }
  if (!cpu.empty()) {
    std::unique_ptr<MCSubtargetInfo> subtarget(
        target->createMCSubtargetInfo(triple, "", ""));
    if (subtarget && !subtarget->isCPUStringValid(cpu))
      return createStringError("target '" + triple.str() + "' has no CPU '" +
                               cpu + "'");
  }

  llvm::TargetOptions machineOptions;
  // Standard: an fmuladd may fuse, a separate mul and add may not.
  machineOptions.AllowFPOpFusion = FPOpFusion::Standard;
  std::optional<CodeGenOptLevel> level =
      CodeGenOpt::getLevel(static_cast<int>(options.optimizationLevel));
  if (!level)
    return createStringError("expected an optimization level from 0 to 3, "
                             "found " +
                             Twine(options.optimizationLevel));
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features, machineOptions, Reloc::PIC_,
      /*CodeModel=*/std::nullopt, *level));
  if (!machine)
    return createStringError("target '" + triple.str() +
                             "' has no code generator");
  return machine;
}

} // namespace flywheel
