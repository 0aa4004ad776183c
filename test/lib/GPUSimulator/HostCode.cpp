//===- HostCode.cpp - Device code for the host ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCode.h"

#include "DeviceModule.h"
#include "Execution.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

namespace simulator {

static void optimize(Module &module, TargetMachine *machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager cycles;
  ModuleAnalysisManager modules;
  PassBuilder builder(machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cycles);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cycles, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O1)
      .run(module, modules);
}

/// Gives the code what it refers to.
static Error
defineSymbols(orc::LLJIT &jit,
              ArrayRef<std::unique_ptr<WorkgroupVariable>> variables) {
  orc::SymbolMap symbols;
  auto add = [&](StringRef name, void *place) {
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(place),
                                          JITSymbolFlags::Exported};
  };
  for (auto [name, place] : getSymbols())
    add(name, place);
  for (const std::unique_ptr<WorkgroupVariable> &variable : variables)
    add(variable->name, variable->memory.get());
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

Expected<std::unique_ptr<HostCode>> HostCode::create(const void *image) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto context = std::make_unique<LLVMContext>();
  // The runtime passes no size: the writer stores it first.
  uint64_t size;
  std::memcpy(&size, image, sizeof(size));
  StringRef bytes(static_cast<const char *>(image) + sizeof(size), size);
  Expected<std::unique_ptr<Module>> module =
      parseBitcodeFile(MemoryBufferRef(bytes, "kernels"), *context);
  if (!module)
    return module.takeError();
  Expected<std::unique_ptr<orc::LLJIT>> jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  auto code = std::make_unique<HostCode>();
  code->jit = std::move(*jit);
  if (Error error = convertToHost(**module, code->kernels, code->variables))
    return std::move(error);
  (*module)->setTargetTriple(code->jit->getTargetTriple());
  (*module)->setDataLayout(code->jit->getDataLayout());
  optimize(**module, nullptr);
  if (Error error = defineSymbols(*code->jit, code->variables))
    return std::move(error);
  if (Error error = code->jit->addIRModule(
          orc::ThreadSafeModule(std::move(*module), std::move(context))))
    return std::move(error);
  return code;
}

Kernel *HostCode::find(StringRef name) {
  auto found = kernels.find(name);
  if (found == kernels.end())
    return nullptr;
  Kernel &kernel = found->second;
  if (!kernel.call) {
    Expected<orc::ExecutorAddr> address = jit->lookup(getPackedName(name));
    if (!address) {
      consumeError(address.takeError());
      return nullptr;
    }
    kernel.call = address->toPtr<void (*)(void **)>();
  }
  return &kernel;
}

} // namespace simulator
