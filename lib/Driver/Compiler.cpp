//===- Compiler.cpp - From a module to machine code -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/Compiler.h"
#include "flywheel/Support/OpNames.h"

#include "PlainErrors.h"

#include "flywheel/Autodiff/DerivativeRules.h"
#include "flywheel/Batching/BatchingRules.h"
#include "flywheel/Cost/CostModels.h"
#include "flywheel/Dialect/Codegen/Codegen.h"
#include "flywheel/Dialect/LinalgExt/LinalgExt.h"
#include "flywheel/Dialect/NN/NN.h"
#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Driver/Backend.h"
#include "flywheel/Driver/DriverPasses.h"
#include "flywheel/Driver/OptionTable.h"
#include "flywheel/Driver/Places.h"
#include "flywheel/Driver/Plugins.h"
#include "flywheel/Driver/VerifySource.h"
#include "flywheel/Interfaces/SliceSubsets.h"
#include "flywheel/Interfaces/ValueBounds.h"
#include "flywheel/Runtime/WorkerTeam.h"
#include "flywheel/Support/CheckedSize.h"
#include "flywheel/Support/LargeStack.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>

using namespace mlir;
using namespace flywheel;
using flywheel::train::TrainDialect;

void flywheel::registerAllFlywheelDialects(DialectRegistry &registry) {
  // Before upstream's, which they replace.
  registerValueBounds(registry);
  registerSliceSubsets(registry);
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registry.insert<codegen::CodegenDialect, linalg_ext::LinalgExtDialect,
                  nn::NNDialect, train::TrainDialect>();
  linalg_ext::registerBufferization(registry);
  registerBatchingRules(registry);
  registerCostModels(registry);
  registerDerivativeRules(registry);
  registerPluginDialects(registry);
}

/// The environment variable with the number of threads that compile.
constexpr const char *kCompileThreads = "FLYWHEEL_COMPILE_THREADS";

std::shared_ptr<MLIRContext> flywheel::createContext() {
  DialectRegistry registry;
  registerAllFlywheelDialects(registry);
  // Each context has its own pool: a forked process can create a new context.
  // `compileModule` reports errors in the variable.
  auto given = runtime::getNumThreadsOfEnvironment(kCompileThreads);
  unsigned available = llvm::hardware_concurrency().compute_thread_count();
  auto pool = std::make_shared<LargeStackThreadPool>(
      given.isOk() ? given->value_or(available) : available);
  std::shared_ptr<MLIRContext> context(
      new MLIRContext(registry), [pool](MLIRContext *old) { delete old; });
  // The command line may have set another number.
  if (context->isMultithreadingEnabled()) {
    context->disableMultithreading();
    context->setThreadPool(*pool);
  }
  return context;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// Returns the name of an SSA value in the source: `%loss` is `loss`. Empty for
/// a numbered value.
static StringRef getSourceName(SMRange range) {
  StringRef text(range.Start.getPointer(),
                 range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  return text.empty() || llvm::isDigit(text.front()) ? StringRef() : text;
}

static StringRef getSourceName(Value value, const AsmParserState &state) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const auto *block = state.getBlockDef(argument.getOwner());
    if (!block || argument.getArgNumber() >= block->arguments.size())
      return {};
    return getSourceName(block->arguments[argument.getArgNumber()].loc);
  }
  auto result = cast<OpResult>(value);
  const auto *op = state.getOpDef(result.getOwner());
  if (!op)
    return {};
  for (const auto &group : op->resultGroups)
    if (group.startIndex == result.getResultNumber())
      return getSourceName(group.definition.loc);
  return {};
}

/// Gives the arguments and results of public functions the names that the
/// source has for them, if these are distinct and no others were given.
static void nameSignature(func::FuncOp function, const AsmParserState &state) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return;
  Builder b(function.getContext());
  StringRef attrName = TrainDialect::getNameAttrName();
  llvm::StringSet<> taken;
  auto takeGiven = [&](Attribute name) {
    if (auto given = dyn_cast_or_null<StringAttr>(name))
      taken.insert(given);
  };
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    takeGiven(function.getArgAttr(i, attrName));
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    StringRef name = getSourceName(argument, state);
    if (!function.getArgAttr(number, attrName) && !name.empty() &&
        taken.insert(name).second)
      function.setArgAttr(number, attrName, b.getStringAttr(name));
  }
  taken.clear();
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    takeGiven(function.getResultAttr(i, attrName));
  Operation *ret = function.getBody().front().getTerminator();
  for (auto [number, value] : llvm::enumerate(ret->getOperands())) {
    StringRef name = getSourceName(value, state);
    if (!function.getResultAttr(number, attrName) && !name.empty() &&
        taken.insert(name).second)
      function.setResultAttr(number, attrName, b.getStringAttr(name));
  }
}

/// Returns the location that messages about `op` use: its own, except for an op
/// without a location that upstream built in the body of a named `linalg` op.
/// Such an op has the location of the named op, and its name.
static Location getPlaceOfBody(Operation *op) {
  Operation *parent = op->getParentOp();
  if (!isa_and_present<linalg::LinalgOp>(parent) ||
      !isa<UnknownLoc>(op->getLoc()) || isa<UnknownLoc>(parent->getLoc()))
    return op->getLoc();
  return FusedLoc::get(
      op->getContext(), parent->getLoc(),
      StringAttr::get(op->getContext(), parent->getName().getStringRef()));
}

/// Verifies `module`. Reports an error in a body that nobody wrote at the op
/// that has the body, by its name.
static LogicalResult verifyBodies(ModuleOp module) {
  MLIRContext *context = module.getContext();
  SmallVector<std::pair<Operation *, Location>> placed;
  llvm::DenseSet<Location> places;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    Location place = getPlaceOfBody(op);
    if (place == op->getLoc())
      return;
    placed.emplace_back(op, op->getLoc());
    places.insert(place);
    op->setLoc(place);
  });
  SmallVector<std::pair<FusedLoc, std::string>> found;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (!places.contains(diagnostic.getLocation()))
        return failure();
      found.emplace_back(cast<FusedLoc>(diagnostic.getLocation()),
                         diagnostic.str());
      return success();
    });
    result = verify(module);
  }
  for (auto [op, location] : placed)
    op->setLoc(location);
  for (auto &[place, text] : found) {
    InFlightDiagnostic error =
        emitError(place.getLocations().front())
        << "'" << cast<StringAttr>(place.getMetadata()).getValue()
        << "' op is not supported with these types: in its body, " << text;
    if (StringRef(text).contains("must be signless"))
      error << "; 'tensor.bitcast' makes signless integers";
    else if (StringRef(text).contains("must be floating-point-like"))
      error << "; 'arith.sitofp' makes floating-point numbers";
  }
  return result;
}

static OwningOpRef<ModuleOp>
parseOnThisStack(MLIRContext &context,
                 const std::shared_ptr<llvm::SourceMgr> &sources) {
  const llvm::MemoryBuffer &text =
      *sources->getMemoryBuffer(sources->getMainFileID());
  if (failed(verifyTokens(context, text)))
    return {};
  Block block;
  AsmParserState state;
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  if (failed(parseAsmSourceFile(*sources, &block, config, &state)))
    return {};
  Location loc = FileLineColLoc::get(
      &context,
      sources->getMemoryBuffer(sources->getMainFileID())->getBufferIdentifier(),
      1, 1);
  OwningOpRef<ModuleOp> module =
      mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(
          &block, &context, loc);
  if (!module)
    return {};
  if (failed(verifySource(*module)) || failed(verifyBodies(*module)))
    return {};
  module->walk(nameLocation);
  // Nobody chose the names of values that a stage has printed.
  if (!(*module)->hasAttr(train::TrainDialect::getCompilationAttrName()))
    for (auto function : module->getOps<func::FuncOp>())
      if (function.isPublic())
        nameSignature(function, state);
  return module;
}

static OwningOpRef<ModuleOp>
parseBuffer(MLIRContext &context, std::unique_ptr<llvm::MemoryBuffer> buffer,
            DiagnosticPrinter &printer) {
  auto sources = std::make_shared<llvm::SourceMgr>();
  unsigned file = sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(printer.addSource(std::move(buffer))),
      llvm::SMLoc());
  OwningOpRef<ModuleOp> module;
  bool hasMemory =
      runOnLargeStack([&] { module = parseOnThisStack(context, sources); });
  if (!hasMemory)
    emitError(FileLineColLoc::get(
        &context, sources->getMemoryBuffer(file)->getBufferIdentifier(), 1, 1))
        << "no memory to read this module";
  return module;
}

OwningOpRef<ModuleOp> flywheel::parseModuleFile(MLIRContext &context,
                                                StringRef path,
                                                DiagnosticPrinter &printer) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &error);
  if (!buffer) {
    emitError(UnknownLoc::get(&context)) << error;
    return {};
  }
  return parseBuffer(context, std::move(buffer), printer);
}

OwningOpRef<ModuleOp> flywheel::parseModuleText(MLIRContext &context,
                                                StringRef text, StringRef name,
                                                DiagnosticPrinter &printer) {
  return parseBuffer(context, llvm::MemoryBuffer::getMemBufferCopy(text, name),
                     printer);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// The stage after which the functions of entries have `train.symbols`.
constexpr llvm::StringLiteral kDimSizeNamingStage = "flywheel-fuse";

/// Returns the model's name: the requested one, the module's own, that of its
/// file, or `model`.
static std::string getModelName(ModuleOp module,
                                const CompilerOptions &options) {
  if (!options.modelName.empty())
    return options.modelName;
  if (std::optional<StringRef> name = module.getSymName())
    return name->str();
  if (options.inputPath.empty() || options.inputPath == "-")
    return "model";
  // JSON has to be UTF-8, which the bytes of a path may not be.
  return llvm::json::fixUTF8(llvm::sys::path::stem(options.inputPath));
}

/// Checks that each bound is of a dimension size of an entry, once all of these
/// have names.
static LogicalResult checkDimSizeNames(ModuleOp module,
                                       const DimSizeBounds &bounds) {
  llvm::SetVector<StringRef> names;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto symbols = function->getAttrOfType<ArrayAttr>(
            TrainDialect::getSymbolsAttrName()))
      if (function.getName() != "init")
        for (auto name : symbols.getAsRange<StringAttr>())
          names.insert(name);
  for (const auto &[name, bound] : bounds.named) {
    if (names.contains(name))
      continue;
    InFlightDiagnostic error =
        emitError(module->getLoc())
        << "expected bounds of the dimension sizes of the "
           "entries, found '"
        << name << "'; their dimension sizes are: ";
    if (names.empty())
      error << "none";
    llvm::interleaveComma(names, error);
    return error;
  }
  return success();
}

void flywheel::printStageTimes(raw_ostream &os, ArrayRef<StageTime> times) {
  double total = 0.0;
  for (const StageTime &time : times) {
    os << llvm::formatv("  {0,-24} {1,9:f1} ms\n", time.stage,
                        time.seconds * 1e3);
    total += time.seconds;
  }
  os << llvm::formatv("  {0,-24} {1,9:f1} ms\n", "total", total * 1e3);
}

/// Returns the location of the op that computes the largest tensor of static
/// shape, and the type of the tensor; the module's location and null if there
/// is no such tensor.
static std::pair<Location, Type> findLargestTensor(ModuleOp module) {
  std::pair<Location, Type> found(module.getLoc(), Type());
  int64_t most = 0;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape())
        continue;
      int64_t bytes = getNumBytes(tensor).getSaturated();
      if (bytes <= most)
        continue;
      most = bytes;
      found = {op->getLoc(), type};
    }
  });
  return found;
}

/// Returns true if `module` has a convolution with a 3 x 3 filter, which
/// Winograd's method may apply to.
static bool hasConvolution(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        bool isConvolution =
            isa<nn::Conv2dOp, nn::Conv2dTransposeOp>(op) ||
            (isa<linalg::LinalgOp>(op) &&
             linalg::isaConvolutionOpInterface(cast<linalg::LinalgOp>(op)));
        auto filter = isConvolution
                          ? dyn_cast<ShapedType>(op->getOperand(1).getType())
                          : ShapedType();
        return filter && filter.hasRank() &&
                       llvm::count(filter.getShape(), 3) >= 2
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Warns of options that `backend` does not read, in the compilation of a
/// source.
static void warnOfUnreadOptions(ModuleOp module, const CompilerOptions &options,
                                const Backend &backend) {
  const BackendFeatures &features = backend.getFeatures();
  for (const OptionInfo &option : getOptionTable()) {
    if (!option.feature || features.*option.feature || !option.isGiven(options))
      continue;
    if (option.feature != &BackendFeatures::hasWinograd)
      emitWarning(module->getLoc())
          << "option '" << option.name.str()
          << "' has no effect: the back end '" << backend.getInfo().name.str()
          << "' does not read it";
    else if (hasConvolution(module))
      emitWarning(module->getLoc())
          << "convolutions are computed directly: Winograd's method is for "
             "optimized code on a CPU";
  }
}

/// Sets `options.target.ptxas`. Emits an error if the requested program is not
/// there, or nothing needs it.
static LogicalResult findAssembler(ModuleOp module, CompilerOptions &options,
                                   const Backend &backend) {
  if (!options.assembler)
    return success();
  StringRef usual = backend.getInfo().assembler, asked = *options.assembler;
  if (usual.empty() && !asked.empty())
    return emitError(module->getLoc())
           << "the target '" << options.target.getDevice()
           << "' has no assembler, found '" << asked << "'";
  if (usual.empty() || asked == "none")
    return success();
  StringRef name = asked.empty() ? usual : asked;
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name);
  if (!found && asked.empty())
    found =
        llvm::sys::findProgramByName(name, {backend.getInfo().assemblerFolder});
  // A path is used as it is.
  if (found && llvm::sys::fs::can_execute(*found))
    options.target.ptxas = *found;
  else if (!asked.empty())
    return emitError(module->getLoc())
           << "expected a program as the assembler, found '" << name << "'";
  return success();
}

static LogicalResult attachFilePrefixMap(ModuleOp module,
                                         const CompilerOptions &options) {
  if (!options.filePrefixMap || (options.filePrefixMap->empty() &&
                                 module->hasAttr(kFilePrefixMapAttrName)))
    return success();
  SmallVector<StringRef> pairs;
  for (StringRef pair : *options.filePrefixMap) {
    if (!pair.contains('='))
      return emitError(module->getLoc())
             << "expected OLD=NEW as a prefix of file names, found '" << pair
             << "'";
    pairs.push_back(pair);
  }
  module->setAttr(kFilePrefixMapAttrName,
                  Builder(module->getContext()).getStrArrayAttr(pairs));
  return success();
}

/// Forgets in `said` what is said in each compilation, with a cache or without.
static FailureOr<CompiledModule>
compileOnThisStack(OwningOpRef<ModuleOp> module, const CompilerOptions &given,
                   std::vector<SaidDiagnostic> &said) {
  CompilerOptions options = given;
  if (!options.stopAfter.empty() &&
      llvm::none_of(getStages(), [&](const Stage &stage) {
        return stage.name == options.stopAfter;
      })) {
    InFlightDiagnostic error = emitError(module->getLoc())
                               << "expected the name of a stage, found '"
                               << options.stopAfter << "'; stages are";
    for (const Stage &stage : getStages())
      error << " " << stage.name.str();
    return error;
  }
  if (auto threads = runtime::getNumThreadsOfEnvironment(kCompileThreads);
      !threads.isOk())
    return emitError(module->getLoc()) << threads.status().message();
  FailureOr<size_t> numDone = resumeOptions(*module, options);
  if (failed(numDone))
    return failure();
  options.modelName = getModelName(*module, options);
  if (failed(attachFilePrefixMap(*module, options)))
    return failure();
  options.lowering = options.lowering.value_or(Lowering::Optimized);
  options.maxDimSizes = options.maxDimSizes.value_or(DimSizeBounds());
  llvm::Expected<const Backend *> found = findBackend(options);
  if (!found)
    return emitError(module->getLoc()) << llvm::toString(found.takeError());
  const Backend &backend = **found;
  // The threads of the environment are those of the CPU.
  if (!backend.getFeatures().sharesSteps)
    options.threads.byDefault = 1;
  if (failed(backend.checkOptions(*module, options)) ||
      failed(findAssembler(*module, options, backend)))
    return failure();
  // The options alone say this, and two of them may lead to one program: it is
  // not kept with what else is said.
  if (*numDone == 0)
    warnOfUnreadOptions(*module, options, backend);
  said.clear();
  CompiledModule result;
  result.options = options;
  if (loadFromCache(*module, result))
    return result;
  if (options.numbersPlaces)
    numberPlaces(*module);
  if (*numDone > 0 && getStages()[*numDone - 1].name == options.stopAfter) {
    result.module = std::move(module);
    return result;
  }
  PlainErrors plain(module->getContext());
  for (const Stage &stage : getStages().drop_front(*numDone)) {
    PassManager pm(module->getContext());
    // Verifies each stage at its end: verifying after every pass would take a
    // quarter of the time, and more than half of that of the first stages.
    pm.enableVerifier(false);
    populateStage(pm, stage, options);
    if (options.instrument && failed(options.instrument(pm)))
      return failure();
    auto start = std::chrono::steady_clock::now();
    if (failed(pm.run(*module)) || failed(verify(*module)))
      return failure();
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    result.times.push_back({stage.name.str(), elapsed.count()});
    if (stage.name == kDimSizeNamingStage &&
        failed(checkDimSizeNames(*module, *options.maxDimSizes)))
      return failure();
    if (options.afterStage)
      options.afterStage(stage.name, *module);
    if (stage.name == options.stopAfter) {
      result.module = std::move(module);
      return result;
    }
  }
  FailureOr<Manifest> manifest = Manifest::readFrom(*module);
  if (failed(manifest))
    return failure();
  result.manifest = std::move(*manifest);
  result.module = std::move(module);
  return result;
}

FailureOr<CompiledModule>
flywheel::compileModule(OwningOpRef<ModuleOp> module,
                        const CompilerOptions &options) {
  FailureOr<CompiledModule> result = failure();
  // Keeps warnings and remarks: a module from the cache emits them again.
  std::vector<SaidDiagnostic> said;
  ScopedDiagnosticHandler listener(
      module->getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          said.push_back(makeSaid(diagnostic));
        return failure();
      });
  auto [loc, type] = findLargestTensor(*module);
  bool hasMemory = runOnLargeStack(
      [&] { result = compileOnThisStack(std::move(module), options, said); });
  if (hasMemory && succeeded(result))
    result->said = std::move(said);
  if (hasMemory)
    return result;
  InFlightDiagnostic error = emitError(loc) << "no memory to compile this";
  if (type)
    error << "; the largest tensor of the module is of type " << type;
  return failure();
}
