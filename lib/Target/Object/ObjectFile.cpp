//===- ObjectFile.cpp - From the LLVM dialect to machine code -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/Object/ObjectFile.h"
#include "DebugScopes.h"
#include "ExpandForLibrary.h"
#include "GPURuntime.h"
#include "SinkAddresses.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <chrono>

using namespace llvm;

namespace flywheel {
namespace {
/// Appends the time between construction and destruction to a report.
class StageTimer {
public:
  StageTimer(StringRef stage, std::vector<StageTime> *times)
      : stage(stage), times(times), start(Clock::now()) {}
  ~StageTimer() {
    if (times)
      times->push_back(
          {stage.str(),
           std::chrono::duration<double>(Clock::now() - start).count()});
  }
  StageTimer(const StageTimer &) = delete;
  StageTimer &operator=(const StageTimer &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  StringRef stage;
  std::vector<StageTime> *times;
  Clock::time_point start;
};
} // namespace

/// Optimisations ask each function what its CPU can do. Vectors as wide as the
/// kernels have stay whole: some CPUs would otherwise get 512-bit ones split.
static void setFunctionAttributes(llvm::Module &module,
                                  const TargetMachine &machine) {
  bool isX86 = machine.getTargetTriple().isX86();
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (!machine.getTargetCPU().empty())
      function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (!machine.getTargetFeatureString().empty())
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    if (isX86) {
      function.addFnAttr("prefer-vector-width", "512");
      function.addFnAttr("min-legal-vector-width", "512");
    }
    function.setDoesNotThrow();
  }
}

static OptimizationLevel getOptimizationLevel(unsigned level) {
  switch (level) {
  case 0:
    return OptimizationLevel::O0;
  case 1:
    return OptimizationLevel::O1;
  case 2:
    return OptimizationLevel::O2;
  default:
    return OptimizationLevel::O3;
  }
}

/// Calls of kernels stay as many as they are. A step of several workers
/// branches on the number of the worker time and again: LLVM would make two
/// paths of what is between two such branches, with the same calls on each.
static void forbidDuplicates(llvm::Module &module) {
  for (Function &function : module)
    if (function.hasLocalLinkage() && !function.isDeclaration())
      function.addFnAttr(Attribute::NoDuplicate);
}

/// What the kernels need from LLVM's middle end: tiles and descriptors become
/// registers, addresses are shared and leave the loops. They come vectorized,
/// unrolled and simplified, so that the rest of the -O3 pipeline takes four
/// times as long and changes nothing that can be measured. As soon as
/// descriptors are registers, the arguments of kernels that are one constant in
/// all calls, as the sizes and strides of static shapes are, become that
/// constant.
constexpr StringLiteral kKernelPipeline =
    "function(sroa,early-cse<memssa>),ipsccp,deadargelim,"
    "function(instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),gvn,"
    "dse,instsimplify,simplifycfg,adce),"
    "globaldce";

static void optimize(llvm::Module &module, TargetMachine &machine,
                     const CodegenOptions &options) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = options.loopVectorize;
  tuning.LoopInterleaving = options.loopVectorize;
  tuning.SLPVectorization = options.slpVectorize;
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  OptimizationLevel level = getOptimizationLevel(options.optimizationLevel);
  ModulePassManager passes;
  if (level == OptimizationLevel::O0) {
    passes = builder.buildO0DefaultPipeline(level);
  } else if (options.loopVectorize || options.slpVectorize) {
    passes = builder.buildPerModuleDefaultPipeline(level);
  } else {
    forbidDuplicates(module);
    cantFail(builder.parsePassPipeline(passes, kKernelPipeline));
  }
  passes.run(module, modules);
}

/// Translates, with what MLIR reports on failure in the error.
static Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module,
                                                         LLVMContext &context) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerOpenMPDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        raw_string_ostream(diagnostics)
            << "\n"
            << diagnostic.getLocation() << ": " << diagnostic;
      });
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(
      module, context, module.getName().value_or("flywheel"));
  if (!translated)
    return createStringError("cannot translate the module to LLVM IR:" +
                             diagnostics);
  return translated;
}

namespace {
/// Code generation without loop strength reduction, and without what prepares
/// loops for it. The reduction takes half of the time of code generation on
/// loops this wide and gains nothing: the kernels' addresses are already a base
/// and constant offsets. LLVM's own switch, `disable-lsr`, is an option of the
/// process, which is not ours to set.
class KernelPassManager : public legacy::PassManager {
public:
  void add(Pass *pass) override {
    const PassInfo *info = Pass::lookupPassInfo(pass->getPassID());
    StringRef name = info ? info->getPassArgument() : "";
    if (name != "loop-reduce" && name != "canon-freeze")
      return legacy::PassManager::add(pass);
    delete pass;
  }
};
} // namespace

static Error emit(const llvm::Module &module, const TargetMachine &machine,
                  CodeGenFileType type, raw_pwrite_stream &stream) {
  // Code generation rewrites the IR that it is given.
  std::unique_ptr<llvm::Module> copy = CloneModule(module);
  KernelPassManager passes;
  // Emission changes no option of the machine.
  auto &mutableMachine = const_cast<TargetMachine &>(machine);
  if (mutableMachine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                         type))
    return createStringError("target '" + machine.getTargetTriple().str() +
                             "' cannot emit this kind of file");
  passes.run(*copy);
  return Error::success();
}

Expected<MachineModule> MachineModule::create(mlir::ModuleOp module,
                                              const CodegenOptions &options,
                                              std::vector<StageTime> *times) {
  MachineModule result;
  Expected<std::unique_ptr<TargetMachine>> machine =
      createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  result.machine = std::move(*machine);
  result.context = std::make_unique<LLVMContext>();
  {
    StageTimer timer("translate-to-llvm-ir", times);
    // The locations of the module stay as they are, as all of it does.
    mlir::OwningOpRef<mlir::ModuleOp> scoped;
    if (options.lineTables) {
      scoped = module.clone();
      attachDebugScopes(*scoped);
    }
    Expected<std::unique_ptr<llvm::Module>> translated =
        translate(scoped ? *scoped : module, *result.context);
    if (!translated)
      return translated.takeError();
    result.module = std::move(*translated);
    result.module->setTargetTriple(result.machine->getTargetTriple());
    result.module->setDataLayout(result.machine->createDataLayout());
    result.module->setPICLevel(PICLevel::BigPIC);
  }
  if (options.linkGPURuntime)
    if (Error error = linkGPURuntime(*result.module))
      return std::move(error);
  StageTimer timer("optimize-llvm-ir", times);
  setFunctionAttributes(*result.module, *result.machine);
  expandForLibrary(*result.module, *result.machine);
  optimize(*result.module, *result.machine, options);
  sinkAddresses(*result.module);
  return result;
}

std::string MachineModule::getLLVMIR() const {
  std::string text;
  raw_string_ostream stream(text);
  module->print(stream, /*AAW=*/nullptr);
  return text;
}

Expected<std::string>
MachineModule::getAssembly(std::vector<StageTime> *times) const {
  StageTimer timer("generate-machine-code", times);
  SmallString<0> text;
  raw_svector_ostream stream(text);
  if (Error error =
          emit(*module, *machine, CodeGenFileType::AssemblyFile, stream))
    return std::move(error);
  return std::string(text);
}

Expected<std::unique_ptr<MemoryBuffer>>
MachineModule::getObject(std::vector<StageTime> *times) const {
  StageTimer timer("generate-machine-code", times);
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  if (Error error =
          emit(*module, *machine, CodeGenFileType::ObjectFile, stream))
    return std::move(error);
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(bytes), module->getModuleIdentifier(),
      /*RequiresNullTerminator=*/false);
}

} // namespace flywheel
