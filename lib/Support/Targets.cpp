//===- Targets.cpp - The machines that LLVM knows -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Support/Targets.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

using namespace llvm;

// MLIR's list of dialects names back ends of GPUs. Those that this program is
// linked without are never called: lookups of their targets fail before.
#define LEFT_OUT(name)                                                         \
  extern "C" void LLVMInitialize##name##TargetInfo() {}                        \
  extern "C" void LLVMInitialize##name##Target() {}                            \
  extern "C" void LLVMInitialize##name##TargetMC() {}                          \
  extern "C" void LLVMInitialize##name##AsmPrinter() {}                        \
  extern "C" void LLVMInitialize##name##AsmParser() {}
#include "LeftOut.inc"

/// Bounds how many accesses to memory LLVM's schedulers compare with each
/// other: by default up to 1000 of a block, which takes most of the time of a
/// long step of small tensors. LLVM has no other way to set this.
static void limitSchedulingRegions() {
  StringRef name = "dag-maps-huge-region";
  cl::Option *option = cl::getRegisteredOptions().lookup(name);
  if (option && option->getNumOccurrences() == 0)
    option->addOccurrence(0, name, "256");
}

void flywheel::initializeHostTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    limitSchedulingRegions();
    // All are in the list from the beginning: it never changes while another
    // thread looks at it.
#define TARGET_INFO(name) LLVMInitialize##name##TargetInfo();
#define TARGET(name)
#define ASM_PARSER(name)
#include "Targets.inc"
#undef TARGET_INFO
#undef TARGET
#undef ASM_PARSER
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

void flywheel::initializeAllTargets() {
  initializeHostTarget();
  static std::once_flag once;
  std::call_once(once, [] {
#define TARGET_INFO(name)
#define TARGET(name)                                                           \
  LLVMInitialize##name##Target();                                              \
  LLVMInitialize##name##TargetMC();                                            \
  LLVMInitialize##name##AsmPrinter();
#define ASM_PARSER(name) LLVMInitialize##name##AsmParser();
#include "Targets.inc"
  });
}
