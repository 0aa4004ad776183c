//===- TargetMachine.cpp - Target of code generation ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/Object/TargetMachine.h"
#include "TargetDefaults.h"

#include "flywheel/Support/Targets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace flywheel {

/// Initializes all targets, or only the host's: the others are needed only for
/// cross compilation.
static void initializeTargets(bool hostOnly) {
  if (hostOnly)
    initializeHostTarget();
  else
    initializeAllTargets();
}

const HostCPU &getHostCPU() {
  static const HostCPU host = {sys::getHostCPUName().str(),
                               sys::getHostCPUFeatures()};
  return host;
}

static std::string getHostFeatures() {
  SubtargetFeatures features;
  for (const auto &feature : getHostCPU().features)
    features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

static bool isHost(const TargetOptions &options) {
  return options.triple.empty();
}

bool isHostCPU(const TargetOptions &options) {
  return options.cpu == "host" || (options.cpu.empty() && isHost(options));
}

static Triple getTriple(const TargetOptions &options) {
  return Triple(isHost(options) ? sys::getProcessTriple()
                                : Triple::normalize(options.triple));
}

static std::string getCPU(const TargetOptions &options) {
  return isHostCPU(options) ? getHostCPU().name : options.cpu;
}

static std::string getFeatures(const TargetOptions &options) {
  SmallVector<std::string> lists;
  if (isHostCPU(options))
    lists.push_back(getHostFeatures());
  else if (options.cpu.empty())
    lists.push_back(getABIFeatures(getTriple(options)).str());
  // The features of the user come last, so that they override the others.
  lists.push_back(options.features);
  llvm::erase_if(lists, [](const std::string &list) { return list.empty(); });
  return llvm::join(lists, ",");
}

/// Checks that the target has each of the user's features.
static Error checkFeatures(StringRef features, const Triple &triple,
                           const MCSubtargetInfo &subtarget) {
  for (StringRef feature : llvm::split(features, ',')) {
    if (feature.empty())
      continue;
    StringRef name = feature;
    if (!name.consume_front("+") && !name.consume_front("-"))
      return createStringError("expected '+' or '-' in front of the feature '" +
                               feature + "'");
    bool isKnown = llvm::any_of(
        subtarget.getAllProcessorFeatures(),
        [&](const SubtargetFeatureKV &known) { return known.Key == name; });
    if (!isKnown)
      return createStringError("target '" + triple.str() +
                               "' has no feature '" + name + "'");
    if (changesABI(feature, triple))
      return createStringError("target '" + triple.str() +
                               "' cannot be compiled for with '" + feature +
                               "', which is not what its ABI needs");
  }
  return Error::success();
}

static Expected<const Target *> lookupTarget(const TargetOptions &options) {
  Triple triple = getTriple(options);
  std::string reason;
  const Target *target = TargetRegistry::lookupTarget(triple, reason);
  if (target && isSupportedTarget(triple))
    return target;
  return createStringError(
      "no target for the triple '" + options.triple +
      "'; supported architectures: " + listSupportedTargets());
}

std::unique_ptr<MCSubtargetInfo>
createSubtargetInfo(const TargetOptions &options) {
  initializeTargets(isHost(options));
  Expected<const Target *> target = lookupTarget(options);
  if (target)
    return std::unique_ptr<MCSubtargetInfo>((*target)->createMCSubtargetInfo(
        getTriple(options), getCPU(options), getFeatures(options)));
  consumeError(target.takeError());
  return nullptr;
}

Expected<std::unique_ptr<TargetMachine>>
createTargetMachine(const CodegenOptions &options) {
  const TargetOptions &wanted = options.target;
  initializeTargets(isHost(wanted));
  Expected<const Target *> target = lookupTarget(wanted);
  if (!target)
    return target.takeError();
  Triple triple = getTriple(wanted);
  std::string cpu = getCPU(wanted), features = getFeatures(wanted);
  std::unique_ptr<MCSubtargetInfo> least(
      (*target)->createMCSubtargetInfo(triple, "", ""));
  if (least && !cpu.empty() && !least->isCPUStringValid(cpu))
    return createStringError("target '" + triple.str() + "' has no CPU '" +
                             cpu + "'");
  if (least && triple.getArch() == Triple::x86_64 && !cpu.empty()) {
    std::unique_ptr<MCSubtargetInfo> named(
        (*target)->createMCSubtargetInfo(triple, cpu, ""));
    if (!named->checkFeatures("+64bit"))
      return createStringError("CPU '" + cpu + "' has no 64-bit code, which '" +
                               triple.str() + "' needs");
  }
  if (least)
    if (Error error = checkFeatures(wanted.features, triple, *least))
      return std::move(error);

  llvm::TargetOptions machineOptions;
  // Standard: an fmuladd may fuse, a separate mul and add may not.
  machineOptions.AllowFPOpFusion = FPOpFusion::Standard;
  if (std::unique_ptr<MCSubtargetInfo> subtarget = createSubtargetInfo(wanted))
    machineOptions.MCOptions.ABIName = getABIName(triple, *subtarget).str();
  std::optional<CodeGenOptLevel> level =
      CodeGenOpt::getLevel(static_cast<int>(options.optimizationLevel));
  if (!level)
    return createStringError("expected an optimization level from 0 to 3, "
                             "found " +
                             Twine(options.optimizationLevel));
  // Position-independent code is linked dynamically, which wasm does
  // differently.
  Reloc::Model relocations = triple.isWasm() ? Reloc::Static : Reloc::PIC_;
  std::unique_ptr<TargetMachine> machine((*target)->createTargetMachine(
      triple, cpu, features, machineOptions, relocations,
      /*CodeModel=*/std::nullopt, *level));
  if (!machine)
    return createStringError("target '" + triple.str() +
                             "' has no code generator");
  return machine;
}

} // namespace flywheel
