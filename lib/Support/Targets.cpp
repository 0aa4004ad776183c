//===- Targets.cpp - The machines that LLVM knows -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Support/Targets.h"

#include "llvm/Support/TargetSelect.h"

#include <mutex>

void flywheel::initializeHostTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    // All are in the list from the beginning: it never changes while another
    // thread looks at it.
    llvm::InitializeAllTargetInfos();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

void flywheel::initializeAllTargets() {
  initializeHostTarget();
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
  });
}
