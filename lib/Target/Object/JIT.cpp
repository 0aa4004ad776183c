//===- JIT.cpp - Machine code in this process -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/Object/JIT.h"

#include "PerfMap.h"

#include "flywheel/Runtime/GPUSymbols.h"
#include "flywheel/Runtime/HostCalls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/Debugging/DebuggerSupport.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/TargetParser/Host.h"

#include <cstring>

using namespace llvm;

namespace flywheel {

/// Loads the OpenMP runtime unless the process has it.
static Error loadOpenMP() {
  if (sys::DynamicLibrary::SearchForAddressOfSymbol("__kmpc_fork_call"))
    return Error::success();
  std::string errors;
  for (const char *name : {"libomp.so.5", "libomp.so", "libomp5.so",
                           FLYWHEEL_LLVM_LIBRARY_DIR "/libomp.so.5"}) {
    std::string error;
    if (!sys::DynamicLibrary::LoadLibraryPermanently(name, &error))
      return Error::success();
    errors += "\n  " + error;
  }
  return createStringError(
      "the code uses threads, but LLVM's OpenMP runtime cannot be loaded; "
      "install libomp or put its folder in LD_LIBRARY_PATH:" +
      errors);
}

/// Returns true if `name` belongs to a compiler runtime, such as the
/// conversions of f16. Objects call none of these, so code must not find them
/// in this process.
static bool isOfCompilerRuntime(StringRef name) {
  return llvm::any_of(ArrayRef<StringRef>{"__extend", "__trunc", "__gnu_",
                                          "__fix", "__float", "__powi", "__mul",
                                          "__div"},
                      [&](StringRef start) { return name.starts_with(start); });
}

/// Adds the external symbols of code: those of this process.
static Expected<orc::JITDylibSP> addProcessSymbols(orc::LLJIT &jit) {
  orc::JITDylib &symbols =
      jit.getExecutionSession().createBareJITDylib("<process>");
  auto generator = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      jit.getDataLayout().getGlobalPrefix(),
      [](const orc::SymbolStringPtr &name) {
        return !isOfCompilerRuntime(*name);
      });
  if (!generator)
    return generator.takeError();
  symbols.addGenerator(std::move(*generator));
  return &symbols;
}

/// Defines the functions of the runtime that steps call.
static Error defineRuntime(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  for (auto [name, address] : runtime::getGPUSymbols())
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                          JITSymbolFlags::Exported};
  symbols[jit.mangleAndIntern("flywheel_host_call")] = {
      orc::ExecutorAddr::fromPtr(&flywheel_host_call),
      JITSymbolFlags::Exported};
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

/// Returns true if computations may use `feature` of x86 implicitly. A host may
/// hide other features of a CPU (instructions for caches, keys, virtual
/// machines).
static bool computesWith(StringRef feature) {
  return llvm::any_of(
      ArrayRef<StringRef>{"sse", "ssse", "avx", "fma", "f16c", "bmi", "lzcnt",
                          "popcnt", "movbe", "adx", "gfni", "xop", "tbm"},
      [&](StringRef start) { return feature.starts_with(start); });
}

/// Refuses code for a CPU with instructions that this one does not have: they
/// would end the process.
static Error verifyHostFeatures(const TargetMachine &machine) {
  const StringMap<bool> &host = getHostCPU().features;
  SmallVector<StringRef> missing;
  for (const SubtargetFeatureKV &feature :
       machine.getMCSubtargetInfo()->getEnabledProcessorFeatures()) {
    auto found = host.find(feature.Key);
    if (found != host.end() && !found->second &&
        (!machine.getTargetTriple().isX86() || computesWith(feature.Key)))
      missing.push_back(feature.Key);
  }
  if (missing.empty())
    return Error::success();
  llvm::sort(missing);
  StringRef cpu = machine.getTargetCPU();
  return createStringError(
      (cpu.empty() ? "cannot run code"
                   : "cannot run code for CPU '" + cpu.str() + "'") +
      " on this machine, which has no " + llvm::join(missing, ", ") +
      "; compile it to an object instead");
}

JIT::JIT(std::unique_ptr<orc::LLJIT> jit) : jit(std::move(jit)) {}
JIT::~JIT() = default;

/// Refuses a machine that this process is not on.
static Error verifyHost(const TargetMachine &machine) {
  Triple host(sys::getProcessTriple());
  const Triple &triple = machine.getTargetTriple();
  if (triple.getArch() != host.getArch() || triple.getOS() != host.getOS())
    return createStringError("cannot run code for '" + triple.str() +
                             "' in a process of '" + host.str() + "'");
  return verifyHostFeatures(machine);
}

Expected<std::unique_ptr<JIT>> JIT::create(const MachineModule &module,
                                           std::vector<StageTime> *times,
                                           const JITOptions &jitOptions) {
  if (Error error = verifyHost(module.getTargetMachine()))
    return std::move(error);
  Expected<std::unique_ptr<MemoryBuffer>> object = module.getObject(times);
  if (!object)
    return object.takeError();
  return link(std::move(*object), module.getTargetMachine(), jitOptions);
}

Expected<std::unique_ptr<JIT>> JIT::load(std::unique_ptr<MemoryBuffer> object,
                                         const CodegenOptions &options,
                                         const JITOptions &jitOptions,
                                         ArrayRef<DetachedData> data) {
  Expected<std::unique_ptr<TargetMachine>> machine =
      createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  if (Error error = verifyHost(**machine))
    return std::move(error);
  return link(std::move(object), **machine, jitOptions, data);
}

/// Copies the data to memory that code may read, and defines its symbols.
Error JIT::define(ArrayRef<DetachedData> data) {
  orc::SymbolMap symbols;
  for (const DetachedData &one : data) {
    std::error_code error;
    sys::MemoryBlock block = sys::Memory::allocateMappedMemory(
        one.bytes.size(), nullptr, sys::Memory::MF_READ | sys::Memory::MF_WRITE,
        error);
    if (error)
      return createStringError("no memory for the " + Twine(one.bytes.size()) +
                               " bytes of a constant");
    memory.emplace_back(block);
    std::memcpy(block.base(), one.bytes.data(), one.bytes.size());
    if (std::error_code failed =
            sys::Memory::protectMappedMemory(block, sys::Memory::MF_READ))
      return errorCodeToError(failed);
    symbols[jit->mangleAndIntern(one.symbol)] = {
        orc::ExecutorAddr::fromPtr(block.base()), JITSymbolFlags::Exported};
  }
  return jit->getMainJITDylib().define(
      orc::absoluteSymbols(std::move(symbols)));
}

Expected<std::unique_ptr<JIT>> JIT::link(std::unique_ptr<MemoryBuffer> object,
                                         const TargetMachine &machine,
                                         const JITOptions &options,
                                         ArrayRef<DetachedData> data) {
  if (object->getBuffer().contains("__kmpc_"))
    if (Error error = loadOpenMP())
      return std::move(error);
  orc::JITTargetMachineBuilder builder(machine.getTargetTriple());
  builder.setRelocationModel(Reloc::PIC_);
  Expected<std::unique_ptr<orc::LLJIT>> jit =
      orc::LLJITBuilder()
          .setJITTargetMachineBuilder(std::move(builder))
          .setDataLayout(machine.createDataLayout())
          .setProcessSymbolsJITDylibSetup(addProcessSymbols)
          .create();
  if (!jit)
    return jit.takeError();
  if (Error error = defineRuntime(**jit))
    return std::move(error);
  Expected<bool> isPerfMapRequested = flywheel::isPerfMapRequested();
  if (!isPerfMapRequested)
    return isPerfMapRequested.takeError();
  if (options.perfMap || *isPerfMapRequested)
    if (Error error = writePerfMap(**jit))
      return std::move(error);
  if (options.debugger)
    if (Error error = orc::enableDebuggerSupport(**jit))
      return std::move(error);
  std::unique_ptr<JIT> result(new JIT(std::move(*jit)));
  if (!data.empty())
    if (Error error = result->define(data))
      return std::move(error);
  if (Error error = result->jit->addObjectFile(std::move(object)))
    return std::move(error);
  if (Error error = result->jit->initialize(result->jit->getMainJITDylib()))
    return std::move(error);
  return result;
}

Expected<void *> JIT::lookup(StringRef symbol) const {
  Expected<orc::ExecutorAddr> address = jit->lookup(symbol);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}

Expected<PackedFunction> JIT::lookupPacked(StringRef symbol) const {
  Expected<orc::ExecutorAddr> address = jit->lookup(symbol);
  if (!address)
    return address.takeError();
  return address->toPtr<PackedFunction>();
}

} // namespace flywheel
