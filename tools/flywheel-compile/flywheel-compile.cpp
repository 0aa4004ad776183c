//===- flywheel-compile.cpp - From a model to an object file --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools.h"

#include "flywheel/Driver/Backend.h"
#include "flywheel/Driver/CacheFlags.h"
#include "flywheel/Driver/FrontEnd.h"
#include "flywheel/Driver/InputOption.h"
#include "flywheel/Driver/NumberOption.h"
#include "flywheel/Driver/OptionFlags.h"
#include "flywheel/Driver/OutputFiles.h"
#include "flywheel/Driver/TextOption.h"
#include "flywheel/Model/CNames.h"
#include "flywheel/Support/LargeStack.h"
#include "flywheel/Target/CHeader/CHeader.h"
#include "flywheel/Target/Object/ObjectFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <unistd.h>

using namespace flywheel;
namespace cl = llvm::cl;

namespace {
/// The options of the command line, which LLVM knows from when this is made:
/// several tools may be in one library.
struct CommandLine {
  cl::OptionCategory category{"flywheel-compile options"};
  InputOption inputPath{cl::Positional, cl::desc("<model.mlir>"), cl::OneOrMore,
                        cl::cat(category)};
  TextOption outputPath{
      "o", cl::value_desc("file"), cl::cat(category),
      cl::desc("Output file, '-' for standard output. By default the input's "
               "stem with .o in the current folder; standard output for text")};
  TextOption headerPath{
      "header", cl::value_desc("file"), cl::cat(category),
      cl::desc("C header to write with an object file. By default the "
               "output's stem with .h")};
  TextOption manifestPath{
      "manifest", cl::value_desc("file"), cl::cat(category),
      cl::desc("JSON manifest to write with an object file. By default the "
               "output's stem with .json")};
  TextOption emitKind{
      "emit", cl::value_desc("kind"), cl::init("obj"), cl::cat(category),
      cl::desc("What to write: obj (default), asm, llvm-ir, or the "
               "module after a stage, by its name (listed above)")};
  NumberOption<int64_t> maxBatch{NumberRange<int64_t>{1, kMaxDimSizeBound},
                                 "max-batch", cl::value_desc("N"),
                                 cl::cat(category),
                                 cl::desc("The same as --max-dim-size=N")};
  TextOption ptxas{
      "ptxas", cl::value_desc("program"), cl::cat(category),
      cl::desc("The assembler that objects for cuda are made with (default: "
               "ptxas, where it is installed). Without one they have PTX, "
               "which the driver translates; so with --ptxas=none")};
  NumberOption<unsigned> optimizationLevel{
      NumberRange<unsigned>{0, 3},
      "opt-level",
      cl::value_desc("0-3"),
      cl::init(3),
      cl::cat(category),
      cl::desc("Effort of LLVM's optimiser (default 3)")};
  CacheFlags cache{category};
  cl::opt<bool> debugInfo{
      "g", cl::cat(category),
      cl::desc("Add tables that say which line of the model each "
               "instruction is of; instructions stay the same")};
  cl::list<std::string> filePrefixMap{
      "file-prefix-map", cl::value_desc("OLD=NEW"), cl::cat(category),
      cl::desc(
          "In messages and with -g, names of source files that begin with "
          "OLD begin with NEW. Names of other files keep their last component, "
          "so that outputs do not depend on the folder; /=/ keeps absolute "
          "paths")};
  cl::opt<bool> llvmVectorize{
      "llvm-vectorize", cl::cat(category),
      cl::desc(
          "Run LLVM's loop and SLP vectorizers too; off by default, as the "
          "kernels are vectors already")};
  cl::opt<bool> timeStages{"time-stages", cl::cat(category),
                           cl::desc("Print the time of each stage to "
                                    "standard error")};
  cl::opt<std::string> costFormat{
      "cost", cl::ValueOptional, cl::value_desc("text|json"), cl::cat(category),
      cl::desc("Instead of an object file, write the costs of each "
               "entry, before and after optimization: "
               "floating-point operations, bytes and memory")};
  cl::list<std::string> costBindings{
      "bind", cl::value_desc("NAME=N"), cl::CommaSeparated, cl::cat(category),
      cl::desc("With --cost: the sizes of dynamic dimensions, by "
               "the names that the header has: batch=32. Others "
               "are symbols")};
  cl::list<std::string> costFetches{
      "fetches", cl::value_desc("names"), cl::CommaSeparated, cl::cat(category),
      cl::desc("With --cost: count only what these results depend "
               "on, by name or number")};
  cl::opt<bool> wholeGraph{
      "whole-graph", cl::cat(category),
      cl::desc("With --cost: also count what nothing uses, and the "
               "initial values of variables")};
};
} // namespace

static CommandLine &given() {
  static CommandLine line;
  return line;
}

/// The options of the compilation itself: all of the table.
static const OptionFlags &getFlags() {
  static const OptionFlags flags(
      llvm::map_to_vector(getOptionTable(),
                          [](const OptionInfo &option) -> llvm::StringRef {
                            return option.name;
                          }),
      given().category);
  return flags;
}

static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "flywheel-compile") << message << "\n";
  return 1;
}

static bool isMachineKind() {
  return given().emitKind == "obj" || given().emitKind == "asm" ||
         given().emitKind == "llvm-ir";
}

static std::string listKinds() {
  std::string kinds = "obj, asm, llvm-ir";
  for (const Stage &stage : getStages())
    kinds += ", " + stage.name.str();
  return kinds;
}

static int write(const OutputFiles &files) {
  if (llvm::Error error = files.write())
    return fail(llvm::toString(std::move(error)));
  return 0;
}

static int writeFile(llvm::StringRef path, llvm::StringRef contents) {
  OutputFiles files;
  files.add(path, contents);
  return write(files);
}

static std::string getStem() {
  return given().inputPath == "-"
             ? "model"
             : llvm::sys::path::stem(given().inputPath.getValue()).str();
}

/// Returns `path` with another extension.
static std::string withExtension(llvm::StringRef path,
                                 llvm::StringRef extension) {
  llvm::SmallString<128> result(path);
  llvm::sys::path::replace_extension(result, extension);
  return result.str().str();
}

namespace {
/// Empty paths for files that are not written.
struct OutputPaths {
  std::string object, header, manifest;
};
} // namespace

static OutputPaths getOutputPaths() {
  OutputPaths paths;
  paths.object =
      given().outputPath.empty() ? getStem() + ".o" : given().outputPath;
  paths.header = given().headerPath;
  paths.manifest = given().manifestPath;
  // An object that is not a file has only the companions that were asked for.
  if (!becomesRegularFile(paths.object))
    return paths;
  if (paths.header.empty())
    paths.header = withExtension(paths.object, "h");
  if (paths.manifest.empty())
    paths.manifest = withExtension(paths.object, "json");
  return paths;
}

/// Checks that outputs do not overwrite each other, or an input.
static llvm::Error checkOutputs(const CompilerOptions &options) {
  llvm::StringRef inputs[] = {given().inputPath, options.frozenCheckpoint,
                              options.initialCheckpoint,
                              options.externalCheckpoint};
  if (given().emitKind != "obj" || given().costFormat.getNumOccurrences() > 0)
    return checkOutput(given().outputPath, inputs);
  OutputPaths paths = getOutputPaths();
  if (isSameFile(paths.object, paths.header) ||
      isSameFile(paths.object, paths.manifest) ||
      isSameFile(paths.header, paths.manifest))
    return llvm::createStringError(
        "the object file, the header and the manifest need different paths, "
        "found '" +
        paths.object + "', '" + paths.header + "' and '" + paths.manifest +
        "'");
  for (llvm::StringRef path : {paths.object, paths.header, paths.manifest})
    if (llvm::Error error = checkOutput(path, inputs))
      return error;
  return llvm::Error::success();
}

/// Returns the bytes of read-only data of an object; 0 for a format without
/// sections of that name.
static uint64_t getConstantBytes(llvm::MemoryBufferRef object) {
  auto file = llvm::object::ObjectFile::createObjectFile(object);
  if (!file) {
    llvm::consumeError(file.takeError());
    return 0;
  }
  uint64_t bytes = 0;
  for (const llvm::object::SectionRef &section : (*file)->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (name->contains("rodata") || name->contains("__const") ||
        name->contains(".rdata") || name->contains("data.rel.ro"))
      bytes += section.getSize();
  }
  return bytes;
}

static void printSizes(const Manifest &manifest, const DimSizeBounds &bounds,
                       llvm::MemoryBufferRef object) {
  auto print = [](llvm::StringRef what, int64_t bytes) {
    llvm::errs() << llvm::formatv("  {0,-24} {1,12} bytes\n", what, bytes);
  };
  int64_t trainable = 0, slots = 0, others = 0;
  for (const ManifestVariable &variable : manifest.variables) {
    int64_t &sum = !variable.slotOf.empty() ? slots
                   : variable.trainable     ? trainable
                                            : others;
    sum += variable.bytes;
  }
  llvm::errs() << "model '" << manifest.model << "', dimension sizes up to "
               << bounds.others << "\n";
  for (const auto &[name, bound] : bounds.named)
    llvm::errs() << "  " << name << " up to " << bound << "\n";
  print("trainable variables", trainable);
  print("optimizer slots", slots);
  print("other variables", others);
  print("state", manifest.stateBytes);
  for (const ManifestEntry &entry : manifest.entries)
    print("workspace of " + entry.name,
          entry.getMaxWorkspaceBytes(bounds.lookupAll(entry.symbols))
              .getSaturated());
  for (const ManifestEntry &entry : manifest.entries)
    if (entry.workers > 1)
      llvm::errs() << "  " << entry.name << " is shared between up to "
                   << entry.workers << " threads\n";
  print("state block in C", getCStateBytes(manifest, bounds).getSaturated());
  for (const BoundCost &cost : getBoundCosts(manifest, bounds))
    print("  for each of '" + cost.name + "'", cost.bytesEach);
  print("constants", getConstantBytes(object));
  print("object file", object.getBufferSize());
}

/// Emits remarks with the cost of bounds that nobody has chosen, if the target
/// is another machine, which may have little memory.
static void remarkOnBounds(const Manifest &manifest,
                           const CompilerOptions &options) {
  const DimSizeBounds &bounds = *options.maxDimSizes;
  if (options.target.triple.empty() || given().maxBatch.getNumOccurrences() ||
      bounds.isChosen)
    return;
  for (const std::string &line : describeCostlyBounds(
           manifest, bounds, "--max-batch or --max-dim-size=NAME=N"))
    llvm::WithColor::remark(llvm::errs(), "flywheel-compile") << line << "\n";
}

static int emitModule(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Not `<<`, which prints as a part of another module: without resources.
  module->print(os, mlir::OpPrintingFlags());
  os << "\n";
  return writeFile(
      given().outputPath.empty() ? "-" : given().outputPath.getValue(), text);
}

static CodegenOptions getCodegenOptions(const TargetOptions &target) {
  CodegenOptions codegen;
  codegen.target = target;
  codegen.optimizationLevel = given().optimizationLevel;
  codegen.loopVectorize = given().llvmVectorize;
  codegen.slpVectorize = given().llvmVectorize;
  codegen.lineTables = given().debugInfo;
  return codegen;
}

/// Checks that the block of a caller in C fits in an address space of 32 bits,
/// half of which a program has.
static llvm::Error checkAddressSpace(const CompiledModule &compiled) {
  llvm::Triple triple(compiled.options.target.triple);
  int64_t bytes =
      getCStateBytes(compiled.manifest, *compiled.options.maxDimSizes)
          .getSaturated();
  constexpr int64_t limit = std::numeric_limits<int32_t>::max();
  if (triple.str().empty() || triple.isArch64Bit() || bytes <= limit)
    return llvm::Error::success();
  return llvm::createStringError(
      "the state and the workspace of '" + compiled.manifest.model +
      "' need a block of " + llvm::Twine(bytes) +
      " bytes where every dimension size is at its bound: expected at most " +
      llvm::Twine(limit) + " for the 32-bit target '" + triple.str() +
      "'; bound dimension sizes by --max-dim-size");
}

/// Writes assembly or LLVM IR.
static int emitMachineText(CompiledModule &compiled, CodegenOptions codegen) {
  // A text is one module.
  codegen.split = false;
  llvm::Expected<MachineModule> code =
      MachineModule::create(*compiled.module, codegen, &compiled.times);
  if (!code)
    return fail(llvm::toString(code.takeError()));
  std::string textPath =
      given().outputPath.empty() ? "-" : given().outputPath.getValue();
  if (given().emitKind == "llvm-ir")
    return writeFile(textPath, code->getLLVMIR());
  llvm::Expected<std::string> text = code->getAssembly(&compiled.times);
  if (!text)
    return fail(llvm::toString(text.takeError()));
  return writeFile(textPath, *text);
}

/// Writes the outputs that --emit asks for from the lowered module.
static int emitMachineCode(CompiledModule &compiled) {
  if (llvm::Error error = checkAddressSpace(compiled))
    return fail(llvm::toString(std::move(error)));
  CodegenOptions codegen = getCodegenOptions(compiled.options.target);
  codegen.linkGPURuntime =
      getBackend(compiled.options).getFeatures().linksGPURuntime;
  if (given().emitKind != "obj")
    return emitMachineText(compiled, codegen);
  const DimSizeBounds &bounds = *compiled.options.maxDimSizes;
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object =
      makeObject(compiled, codegen);
  if (!object)
    return fail(llvm::toString(object.takeError()));
  OutputPaths paths = getOutputPaths();
  OutputFiles files;
  files.add(paths.object, (*object)->getBuffer());
  if (!paths.header.empty())
    files.add(paths.header, emitCHeader(compiled.manifest, bounds));
  if (!paths.manifest.empty())
    files.add(paths.manifest,
              llvm::formatv("{0:2}\n", compiled.manifest.toJSON(bounds)).str());
  if (int status = write(files))
    return status;
  remarkOnBounds(compiled.manifest, compiled.options);
  if (compiled.options.report)
    printSizes(compiled.manifest, bounds, **object);
  return 0;
}

/// Writes the costs that --cost asks for.
static int emitCost(const CompilerOptions &options) {
  if (!given().costFormat.empty() && given().costFormat != "text" &&
      given().costFormat != "json")
    return fail("expected --cost, --cost=text or --cost=json, found --cost=" +
                given().costFormat);
  CostOptions costs;
  costs.entries = options.entries;
  costs.fetches = given().costFetches;
  costs.wholeGraph = given().wholeGraph;
  for (const std::string &binding : given().costBindings)
    if (llvm::Error error = addBinding(costs, binding))
      return fail("--bind: " + llvm::toString(std::move(error)));
  FrontEnd frontEnd;
  llvm::FailureOr<StepCost> cost =
      frontEnd.countFile(given().inputPath, options, costs);
  if (failed(cost))
    return 1;
  return writeFile(given().outputPath.empty() ? "-"
                                              : given().outputPath.getValue(),
                   formatStepCost(*cost, given().costFormat == "json"));
}

static int compile() {
  bool isStage = llvm::any_of(getStages(), [](const Stage &stage) {
    return stage.name == given().emitKind;
  });
  if (!isStage && !isMachineKind())
    return fail("unknown kind of output '" + given().emitKind.getValue() +
                "'; expected one of: " + listKinds());
  if (given().debugInfo && !isMachineKind())
    return fail("-g needs --emit=obj, asm or llvm-ir");
  llvm::Expected<std::optional<ProgramCache>> cache = given().cache.getCache();
  if (!cache)
    return fail(llvm::toString(cache.takeError()));
  if (given().emitKind != "obj" && *cache)
    return fail("--cache-dir needs --emit=obj");
  if (given().emitKind != "obj" &&
      (!given().headerPath.empty() || !given().manifestPath.empty()))
    return fail("--header and --manifest need --emit=obj");
  if (!given().costFormat.getNumOccurrences() &&
      (!given().costBindings.empty() || !given().costFetches.empty() ||
       given().wholeGraph))
    return fail("--bind, --fetches and --whole-graph need --cost");
  // A module that is the output of a stage has values of its own.
  CompilerOptions options;
  if (llvm::Error error = getFlags().apply(options))
    return fail(llvm::toString(std::move(error)));
  if (given().maxBatch.getNumOccurrences()) {
    options.maxDimSizes = options.maxDimSizes.value_or(DimSizeBounds());
    if (options.maxDimSizes->isChosen &&
        options.maxDimSizes->others != given().maxBatch)
      return fail("expected one bound of all dimension sizes, found "
                  "--max-batch=" +
                  llvm::Twine(given().maxBatch) + " and --max-dim-size=" +
                  llvm::Twine(options.maxDimSizes->others));
    options.maxDimSizes->others = given().maxBatch;
    options.maxDimSizes->isChosen = true;
  }
  if (llvm::Error error = checkOutputs(options))
    return fail(llvm::toString(std::move(error)));
  if (!given().costFormat.getNumOccurrences())
    options.filePrefixMap = given().filePrefixMap;
  // An empty name stands for this machine everywhere.
  if (options.target.triple.empty() && options.target.cpu == "host")
    options.target.cpu.clear();
  if (isStage)
    options.stopAfter = given().emitKind;
  else
    options.assembler = given().ptxas.getValue();
  // A target that cannot work is reported before any work is done.
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(getCodegenOptions(options.target));
  if (!machine)
    return fail(llvm::toString(machine.takeError()));

  if (given().costFormat.getNumOccurrences())
    return emitCost(options);
  if (*cache)
    options.cache = {**cache, getCodegenOptions(options.target)};
  FrontEnd frontEnd;
  llvm::FailureOr<CompiledModule> compiled =
      frontEnd.compileFile(given().inputPath, options);
  if (failed(compiled))
    return 1;
  int status =
      isStage ? emitModule(*compiled->module) : emitMachineCode(*compiled);
  if (status)
    return status;
  bool isVerbose = given().timeStages || options.report;
  if (isVerbose)
    printStageTimes(llvm::errs(), compiled->times);
  reportCache(llvm::errs(), *compiled, isVerbose);
  return 0;
}

/// Ends the process: code generators cannot continue after an error.
static void reportFatalError(void *, const char *reason, bool) {
  fail(llvm::Twine("the code generator of the target failed: ") + reason);
  _exit(1);
}

int flywheel::tools::compileMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_fatal_error_handler(reportFatalError);
  registerUpstreamOptions(given().category);
  getFlags();
  std::string overview =
      "Compiles a Flywheel model to an object file with a C header and a JSON "
      "manifest. Continues with the output of "
      "--emit=STAGE; "
      "with --mlir-print-debuginfo messages keep their locations. "
      "--help-hidden lists upstream's options, such as --mlir-timing.\n\n"
      "Stages, in order, at which --emit can stop:\n";
  for (const Stage &stage : getStages())
    overview +=
        "  " + stage.name.str() + " - " + stage.description.str() + "\n";
  cl::ParseCommandLineOptions(argc, argv, overview);
  int status = 1;
  if (!runOnLargeStack([&] { status = compile(); }))
    return fail("no memory");
  return status;
}
