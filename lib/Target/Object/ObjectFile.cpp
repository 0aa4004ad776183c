//===- ObjectFile.cpp - From the LLVM dialect to machine code -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Target/Object/ObjectFile.h"
#include "DebugScopes.h"
#include "ExpandForLibrary.h"
#include "GPURuntime.h"
#include "MergeObjects.h"
#include "ModuleParts.h"
#include "SinkAddresses.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/MC/TargetRegistry.h"
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

/// Sets the CPU and features on each function, which optimisations read there.
/// Also keeps vectors of the kernels' width whole: for some CPUs, LLVM would
/// split 512-bit ones.
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

/// Forbids duplicating calls of kernels. A step of several workers branches on
/// the number of the worker repeatedly: LLVM would duplicate the code between
/// two such branches, with the same calls on each path.
static void forbidDuplicates(llvm::Module &module) {
  for (Function &function : module)
    if (function.hasLocalLinkage() && !function.isDeclaration())
      function.addFnAttr(Attribute::NoDuplicate);
}

/// The passes of LLVM's middle end that kernels need: they promote tiles and
/// descriptors to registers, and share and hoist addresses. Kernels are already
/// vectorized, unrolled and simplified, so that the rest of the -O3 pipeline
/// takes four times as long without a measurable gain. Once descriptors are in
/// registers, kernel arguments that are the same constant in all calls, such as
/// the sizes and strides of static shapes, are replaced by that constant. After
/// that, the code of a function does not depend on other functions.
constexpr StringLiteral kModulePipeline =
    "function(sroa,early-cse<memssa>),ipsccp,deadargelim,globaldce";
constexpr StringLiteral kFunctionPipeline =
    "function(instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),gvn,"
    "dse,instsimplify,simplifycfg,adce),"
    "globaldce";

/// Returns true if the passes are those above. In upstream's pipelines, the
/// code of a function can depend on all others.
static bool usesKernelPipelines(const CodegenOptions &options) {
  return options.optimizationLevel > 0 && !options.loopVectorize &&
         !options.slpVectorize;
}

namespace {
/// Passes on a module, with their analyses.
class Optimizer {
public:
  Optimizer(TargetMachine &machine, const CodegenOptions &options)
      : builder(&machine, getTuning(options)) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(callGraph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, callGraph, modules);
  }

  void run(llvm::Module &module, StringRef pipeline) {
    ModulePassManager passes;
    cantFail(builder.parsePassPipeline(passes, pipeline));
    passes.run(module, modules);
  }
  /// Runs upstream's own pipeline of `level`.
  void run(llvm::Module &module, OptimizationLevel level) {
    ModulePassManager passes =
        level == OptimizationLevel::O0
            ? builder.buildO0DefaultPipeline(level)
            : builder.buildPerModuleDefaultPipeline(level);
    passes.run(module, modules);
  }

private:
  static PipelineTuningOptions getTuning(const CodegenOptions &options) {
    PipelineTuningOptions tuning;
    tuning.LoopVectorization = options.loopVectorize;
    tuning.LoopInterleaving = options.loopVectorize;
    tuning.SLPVectorization = options.slpVectorize;
    return tuning;
  }

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PassBuilder builder;
};
} // namespace

/// Translates the module. MLIR's diagnostics are part of the error.
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
/// Code generation without loop strength reduction, and without the pass that
/// prepares loops for it. The reduction takes half of the time of code
/// generation on loops this wide and gains nothing: the kernels' addresses are
/// already a base and constant offsets. LLVM's own switch, `disable-lsr`, is an
/// option of the process, which a library must not set. The scheduler behind
/// register allocation takes a tenth, and steps are one to three per cent
/// slower without it.
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

/// Returns a machine like `machine`, which one thread at a time can use.
static std::unique_ptr<TargetMachine>
cloneMachine(const TargetMachine &machine) {
  return std::unique_ptr<TargetMachine>(machine.getTarget().createTargetMachine(
      machine.getTargetTriple(), machine.getTargetCPU(),
      machine.getTargetFeatureString(), machine.Options,
      machine.getRelocationModel(), machine.getCodeModel(),
      machine.getOptLevel()));
}

static Error emit(const llvm::Module &module, TargetMachine &machine,
                  CodeGenFileType type, SmallString<0> &file) {
  // Code generation rewrites the IR that it is given.
  std::unique_ptr<llvm::Module> copy = CloneModule(module);
  raw_svector_ostream stream(file);
  KernelPassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr, type))
    return createStringError("target '" + machine.getTargetTriple().str() +
                             "' cannot emit this kind of file");
  passes.run(*copy);
  return Error::success();
}

/// Runs `action` with the number of each part, on the threads of `context`. An
/// error is that of the first part that has one.
static Error forEachPart(mlir::MLIRContext *context, size_t numParts,
                         function_ref<Error(size_t)> action) {
  std::vector<std::string> errors(numParts);
  mlir::parallelFor(context, 0, numParts, [&](size_t part) {
    if (Error error = action(part))
      errors[part] = toString(std::move(error));
  });
  for (const std::string &error : errors)
    if (!error.empty())
      return createStringError(error);
  return Error::success();
}

Expected<std::vector<SmallString<0>>>
MachineModule::emit(CodeGenFileType type) const {
  std::vector<SmallString<0>> files(parts.size());
  if (Error error = forEachPart(context, parts.size(), [&](size_t index) {
        const Part &part = parts[index];
        return flywheel::emit(*part.module, *part.machine, type, files[index]);
      }))
    return std::move(error);
  return files;
}

Expected<MachineModule> MachineModule::create(mlir::ModuleOp module,
                                              const CodegenOptions &options,
                                              std::vector<StageTime> *times) {
  MachineModule result;
  result.context = module.getContext();
  Part &first = result.parts.emplace_back();
  Expected<std::unique_ptr<TargetMachine>> machine =
      createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  first.machine = std::move(*machine);
  first.context = std::make_unique<LLVMContext>();
  {
    StageTimer timer("translate-to-llvm-ir", times);
    // The locations of the module stay as they are, as all of it does.
    mlir::OwningOpRef<mlir::ModuleOp> scoped;
    if (options.lineTables) {
      scoped = module.clone();
      attachDebugScopes(*scoped);
    }
    Expected<std::unique_ptr<llvm::Module>> translated =
        translate(scoped ? *scoped : module, *first.context);
    if (!translated)
      return translated.takeError();
    first.module = std::move(*translated);
    first.module->setTargetTriple(first.machine->getTargetTriple());
    first.module->setDataLayout(first.machine->createDataLayout());
    first.module->setPICLevel(PICLevel::BigPIC);
  }
  if (options.linkGPURuntime)
    if (Error error = linkGPURuntime(*first.module))
      return std::move(error);
  StageTimer timer("optimize-llvm-ir", times);
  setFunctionAttributes(*first.module, *first.machine);
  expandForLibrary(*first.module, *first.machine);
  if (Error error = result.optimize(options))
    return std::move(error);
  return result;
}

Error MachineModule::optimize(const CodegenOptions &options) {
  Part &first = parts.front();
  if (!usesKernelPipelines(options)) {
    Optimizer(*first.machine, options)
        .run(*first.module, getOptimizationLevel(options.optimizationLevel));
    sinkAddresses(*first.module);
    return Error::success();
  }
  forbidDuplicates(*first.module);
  Optimizer(*first.machine, options).run(*first.module, kModulePipeline);
  ModuleParts split;
  if (options.split)
    split = ModuleParts::split(*first.module);
  localNames = split.getLocalNames();
  while (parts.size() < split.size()) {
    std::unique_ptr<TargetMachine> machine = cloneMachine(*parts[0].machine);
    parts.push_back({std::make_unique<LLVMContext>(), std::move(machine), {}});
  }
  return forEachPart(context, parts.size(), [&](size_t index) -> Error {
    Part &part = parts[index];
    if (part.module) {
      if (split.size() > 1)
        split.keepFirst(*part.module);
    } else {
      Expected<std::unique_ptr<llvm::Module>> loaded =
          split.load(index, *part.context);
      if (!loaded)
        return loaded.takeError();
      part.module = std::move(*loaded);
    }
    Optimizer(*part.machine, options).run(*part.module, kFunctionPipeline);
    sinkAddresses(*part.module);
    return Error::success();
  });
}

std::string MachineModule::getLLVMIR() const {
  std::string text;
  raw_string_ostream stream(text);
  for (const Part &part : parts)
    part.module->print(stream, /*AAW=*/nullptr);
  return text;
}

Expected<std::string>
MachineModule::getAssembly(std::vector<StageTime> *times) const {
  StageTimer timer("generate-machine-code", times);
  Expected<std::vector<SmallString<0>>> files =
      emit(CodeGenFileType::AssemblyFile);
  if (!files)
    return files.takeError();
  std::string text;
  for (const SmallString<0> &file : *files)
    text += file;
  return text;
}

Expected<std::unique_ptr<MemoryBuffer>>
MachineModule::getObject(std::vector<StageTime> *times) const {
  StageTimer timer("generate-machine-code", times);
  Expected<std::vector<SmallString<0>>> files =
      emit(CodeGenFileType::ObjectFile);
  if (!files)
    return files.takeError();
  const std::string &name = parts.front().module->getModuleIdentifier();
  if (files->size() == 1)
    return std::make_unique<SmallVectorMemoryBuffer>(
        std::move(files->front()), name, /*RequiresNullTerminator=*/false);
  SmallVector<MemoryBufferRef> objects;
  for (const SmallString<0> &file : *files)
    objects.emplace_back(file, name);
  return mergeObjects(objects, localNames, name);
}

} // namespace flywheel
