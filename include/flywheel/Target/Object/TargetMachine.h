//===- TargetMachine.h - What machine code is made for ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FLYWHEEL_TARGET_OBJECT_TARGETMACHINE_H
#define FLYWHEEL_TARGET_OBJECT_TARGETMACHINE_H

#include "flywheel/Target/Object/TargetOptions.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace flywheel {

/// The options by which LLVM generates machine code from a module. The JIT and
/// object files use the same options, and so the same instructions.
struct CodegenOptions {
  TargetOptions target;
  /// 0 to 3, as `-O0` to `-O3`.
  unsigned optimizationLevel = 3;
  /// LLVM's own vectorizers. The kernels are vectors already; these find little
  /// and cost time.
  bool loopVectorize = false;
  bool slpVectorize = false;
  /// Say which line of the source each instruction is of, in DWARF. The
  /// instructions are those without.
  bool lineTables = false;
  /// Link the runtime functions that steps for a GPU call: for object files,
  /// which include them.
  bool linkGPURuntime = false;
  /// Split a large module into parts, for which several threads generate code.
  /// The number of parts does not depend on the number of threads. Text of LLVM
  /// IR or assembly is that of one part.
  bool split = true;
  /// Leave large constants out of the object file: for the JIT, which gets them
  /// beside it.
  bool detachesConstants = false;
};

/// Creates the machine of `options`: position-independent code that contracts
/// floating-point operations only if the IR allows it.
///
/// An empty triple is the host's; then an empty CPU is the host's with all its
/// features. With a triple, an empty CPU is the baseline of the architecture,
/// with the features that the floating-point ABI of the triple needs; `host` is
/// the host's. Errors: an unknown or unsupported triple (lists the supported
/// ones), an unknown CPU or feature.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CodegenOptions &options);

/// The CPU that the compiler runs on.
struct HostCPU {
  std::string name;
  /// Each feature that LLVM asks about, and whether the CPU has it.
  llvm::StringMap<bool> features;
};

/// Asked for once in a process: in a virtual machine each question to the CPU
/// takes tens of microseconds.
const HostCPU &getHostCPU();

/// Returns true if the CPU of `options` is requested as that of the compiler's
/// machine. A CPU given by name does not count, even if it is the same.
bool isHostCPU(const TargetOptions &options);

/// The CPU of that machine and its features; null for an unknown triple.
std::unique_ptr<llvm::MCSubtargetInfo>
createSubtargetInfo(const TargetOptions &options);

} // namespace flywheel

#endif // FLYWHEEL_TARGET_OBJECT_TARGETMACHINE_H
