//===- TargetDefaults.cpp - Defaults of a triple --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetDefaults.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/ARMTargetParser.h"

using namespace llvm;

bool flywheel::isSupportedTarget(const Triple &triple) {
  switch (triple.getArch()) {
  case Triple::aarch64:
  case Triple::aarch64_32:
  case Triple::aarch64_be:
  case Triple::arm:
  case Triple::armeb:
  case Triple::loongarch64:
  case Triple::mips:
  case Triple::mips64:
  case Triple::mips64el:
  case Triple::mipsel:
  case Triple::ppc:
  case Triple::ppc64:
  case Triple::ppc64le:
  case Triple::riscv32:
  case Triple::riscv64:
  case Triple::sparc:
  case Triple::sparcv9:
  case Triple::systemz:
  case Triple::thumb:
  case Triple::thumbeb:
  case Triple::wasm32:
  case Triple::wasm64:
  case Triple::x86:
  case Triple::x86_64:
    return true;
  default:
    return false;
  }
}

std::string flywheel::listSupportedTargets() {
  SmallVector<StringRef> names;
  for (StringRef name :
       {"aarch64", "arm", "i686", "loongarch64", "mips", "mips64", "powerpc",
        "powerpc64", "powerpc64le", "riscv32", "riscv64", "s390x", "sparc",
        "sparcv9", "thumb", "wasm32", "wasm64", "x86_64"}) {
    std::string reason;
    if (TargetRegistry::lookupTarget(Triple(name), reason))
      names.push_back(name);
  }
  return llvm::join(names, ", ");
}

static StringRef getARMFeatures(const Triple &triple) {
  // Without the hard-float ABI nothing is known of a floating-point unit.
  bool isHardFloat = triple.getEnvironmentName().ends_with("hf");
  ARM::ArchKind arch = ARM::parseArch(triple.getArchName());
  unsigned version = ARM::parseArchVersion(triple.getArchName());
  if (!isHardFloat)
    return "";
  if (ARM::parseArchProfile(triple.getArchName()) == ARM::ProfileKind::M) {
    // The unit of Cortex-M33 and later, or that of Cortex-M4.
    return version >= 8 ? "+fp-armv8d16sp" : "+vfp4d16sp";
  }
  if (version >= 8)
    return "+neon,+fp-armv8";
  if (version == 7)
    return "+neon";
  // In distributions, arm-linux-gnueabihf does not include NEON.
  return arch == ARM::ArchKind::INVALID || version < 6 ? "+armv7-a,+vfp3d16"
                                                       : "+vfp2";
}

StringRef flywheel::getABIFeatures(const Triple &triple) {
  switch (triple.getArch()) {
  case Triple::arm:
  case Triple::armeb:
  case Triple::thumb:
  case Triple::thumbeb:
    return getARMFeatures(triple);
  case Triple::loongarch64:
    return "+64bit,+f,+d,+ual";
  case Triple::riscv32:
    // As C compilers have it: an operating system has a floating-point unit.
    return triple.getOS() == Triple::UnknownOS ? "+m,+a,+c" : "+m,+a,+f,+d,+c";
  case Triple::riscv64:
    return "+m,+a,+f,+d,+c";
  case Triple::x86:
    // The numbers of the older unit are rounded at other places.
    return "+sse2,+cmov,+cx8";
  default:
    return "";
  }
}

/// Returns true if a feature passes floating-point numbers in registers, as all
/// other code of the system does. Without an operating system, there may be no
/// other code. RISC-V has systems of each kind, and objects state theirs.
static bool isOfFloatABI(StringRef name, const Triple &triple) {
  if (triple.isARM() || triple.isThumb())
    return triple.getEnvironmentName().ends_with("hf") &&
           (name == "vfp2" || name == "vfp2sp" || name == "fpregs");
  if (triple.getOS() == Triple::UnknownOS)
    return false;
  if (triple.isAArch64())
    return name == "fp-armv8";
  if (triple.isLoongArch())
    return name == "f" || name == "d";
  return triple.getArch() == Triple::x86_64 &&
         (name == "sse" || name == "sse2");
}

bool flywheel::changesABI(StringRef feature, const Triple &triple) {
  StringRef name = feature.drop_front();
  // The triple determines the width of registers and the encoding of code.
  if (name.ends_with("-mode") || name == "64bit" || name == "32bit" ||
      name == "64bit-support")
    return true;
  if (feature.starts_with("-") && isOfFloatABI(name, triple))
    return true;
  return feature == "+soft-float" || feature == "+soft-float-abi" ||
         feature == "-hard-float";
}

StringRef flywheel::getABIName(const Triple &triple,
                               const MCSubtargetInfo &subtarget) {
  bool isLoongArch = triple.getArch() == Triple::loongarch64;
  if (!isLoongArch && !triple.isRISCV())
    return "";
  bool isWide = triple.isArch64Bit();
  if (subtarget.checkFeatures("+d"))
    return isWide ? "lp64d" : "ilp32d";
  if (subtarget.checkFeatures("+f"))
    return isWide ? "lp64f" : "ilp32f";
  if (isLoongArch)
    return "lp64s";
  return isWide ? "lp64" : "ilp32";
}
