//===- GPURuntime.cpp - The runtime for GPUs in object files --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPURuntime.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

// The bitcode of lib/Runtime/GPUObject.cpp.
__asm__(".pushsection .rodata\n"
        ".global flywheelGPURuntimeBegin\n"
        ".global flywheelGPURuntimeEnd\n"
        ".balign 16\n"
        "flywheelGPURuntimeBegin:\n"
        ".incbin \"" FLYWHEEL_GPU_RUNTIME "\"\n"
        "flywheelGPURuntimeEnd:\n"
        ".popsection\n");
extern "C" {
// Names of the assembly above. NOLINTBEGIN(readability-identifier-naming)
extern const char flywheelGPURuntimeBegin[]
    __attribute__((visibility("hidden")));
extern const char flywheelGPURuntimeEnd[] __attribute__((visibility("hidden")));
// NOLINTEND(readability-identifier-naming)
}

Error flywheel::linkGPURuntime(Module &module) {
  const Triple &triple = module.getTargetTriple();
  if (!triple.isArch64Bit() || !triple.isLittleEndian() ||
      !triple.isOSBinFormatELF())
    return createStringError("steps on a GPU need a host of 64 bits with ELF, "
                             "found '" +
                             triple.str() + "'");
  StringRef bytes(flywheelGPURuntimeBegin,
                  flywheelGPURuntimeEnd - flywheelGPURuntimeBegin);
  Expected<std::unique_ptr<Module>> parsed = parseBitcodeFile(
      MemoryBufferRef(bytes, "gpu-runtime"), module.getContext());
  if (!parsed)
    return parsed.takeError();
  // Integers and pointers have the same sizes on each such host.
  (*parsed)->setTargetTriple(triple);
  (*parsed)->setDataLayout(module.getDataLayout());
  StringSet<> own;
  for (Function &function : **parsed) {
    if (function.isDeclaration())
      continue;
    own.insert(function.getName());
    for (StringRef attribute :
         {"target-cpu", "target-features", "tune-cpu", "frame-pointer"})
      function.removeFnAttr(attribute);
  }
  // Remove the metadata in which the compilers of the two modules may differ.
  for (const char *name : {"llvm.ident", "llvm.module.flags"})
    if (NamedMDNode *node = (*parsed)->getNamedMetadata(name))
      (*parsed)->eraseNamedMetadata(node);
  if (Linker::linkModules(module, std::move(*parsed)))
    return createStringError("the runtime for GPUs does not fit the module");
  internalizeModule(module, [&](const GlobalValue &value) {
    return !own.contains(value.getName());
  });
  return Error::success();
}
