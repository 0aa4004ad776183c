//===- flywheel-compile.cpp - From a model to an object file --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/ByteSizeOption.h"
#include "flywheel/Driver/FrontEnd.h"
#include "flywheel/Driver/LargeStack.h"
#include "flywheel/Driver/TextOption.h"
#include "flywheel/Target/CHeader.h"
#include "flywheel/Target/CNames.h"
#include "flywheel/Target/ObjectFile.h"

#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace flywheel;
namespace cl = llvm::cl;

static cl::OptionCategory category("flywheel-compile options");

static cl::opt<std::string> inputPath(cl::Positional, cl::desc("<model.mlir>"),
                                      cl::Required, cl::cat(category));
static TextOption outputPath(
    "o", cl::value_desc("file"), cl::cat(category),
    cl::desc("Output file, '-' for standard output. By default the input's "
             "stem with .o in the current folder; standard output for text"));
static TextOption
    headerPath("header", cl::value_desc("file"), cl::cat(category),
               cl::desc("C header to write with an object file. By default the "
                        "output's stem with .h"));
static TextOption manifestPath(
    "manifest", cl::value_desc("file"), cl::cat(category),
    cl::desc("JSON manifest to write with an object file. By default the "
             "output's stem with .json"));
static TextOption
    emitKind("emit", cl::value_desc("kind"), cl::init("obj"), cl::cat(category),
             cl::desc("What to write: obj (default), asm, llvm-ir, or the "
                      "module after a stage, by its name (listed above)"));
static TextOption
    modelName("model-name", cl::value_desc("name"), cl::cat(category),
              cl::desc("Prefix of the C symbols. By default the module's name, "
                       "or else the input's stem"));
static cl::list<std::string>
    entries("entries", cl::value_desc("names"), cl::CommaSeparated,
            cl::cat(category),
            cl::desc("Keep these entries, and the variables that they use, "
                     "only: predict,eval"));
static TextOption
    freezePath("freeze", cl::value_desc("checkpoint"), cl::cat(category),
               cl::desc("Replace every variable that no entry assigns by its "
                        "value in this checkpoint"));
static cl::list<std::string>
    freezeVariables("freeze-variables", cl::value_desc("names"),
                    cl::CommaSeparated, cl::cat(category),
                    cl::desc("With --freeze: replace these variables only"));
static cl::opt<int64_t>
    maxBatch("max-batch", cl::value_desc("N"), cl::init(1024),
             cl::cat(category),
             cl::desc("Bound of every dynamic extent (the batch) in the C "
                      "interface; fixes the workspace (default 1024)"));
static ByteSizeOption memoryBudget(
    "memory-budget", cl::value_desc("bytes"), cl::cat(category),
    cl::desc("Bytes, as 65536, 64KiB or 2MiB, that the workspace of an entry "
             "may have for extents up to --max-batch: values that do not fit "
             "are recomputed. By default any number"));
static TextOption
    targetTriple("target-triple", cl::value_desc("triple"), cl::cat(category),
                 cl::desc("Machine to compile for. By default this one"));
static TextOption
    cpu("cpu", cl::value_desc("name"), cl::cat(category),
        cl::desc("CPU to compile for, 'host' for this one. By default this "
                 "one, or with --target-triple the least of the "
                 "architecture"));
static cl::opt<std::string>
    features("features", cl::value_desc("list"), cl::cat(category),
             cl::desc("CPU features to add or take away: +avx2,-fma"));
static cl::opt<unsigned>
    optimizationLevel("opt-level", cl::value_desc("0-3"), cl::init(3),
                      cl::cat(category),
                      cl::desc("Effort of LLVM's optimiser (default 3)"));
static cl::opt<bool> llvmVectorize(
    "llvm-vectorize", cl::cat(category),
    cl::desc("Run LLVM's loop and SLP vectorizers too; off by default, as the "
             "kernels are vectors already"));
static cl::opt<Lowering> lowering(
    "lowering", cl::init(Lowering::Optimized), cl::cat(category),
    cl::desc("How tensor programs become loops"),
    cl::values(clEnumValN(Lowering::Optimized, "optimized",
                          "fused, tiled, packed and vectorized (default)"),
               clEnumValN(Lowering::Reference, "reference",
                          "one plain scalar loop nest an op, to compare "
                          "with")));
static cl::opt<bool> timeStages("time-stages", cl::cat(category),
                                cl::desc("Print the time of each stage to "
                                         "standard error"));
static cl::opt<bool>
    report("report", cl::cat(category),
           cl::desc("Print sizes (state, workspace, constants, object) and "
                    "the time of each stage to standard error"));

static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "flywheel-compile") << message << "\n";
  return 1;
}

static bool isMachineKind() {
  return emitKind == "obj" || emitKind == "asm" || emitKind == "llvm-ir";
}

static std::string listKinds() {
  std::string kinds = "obj, asm, llvm-ir";
  for (const Stage &stage : getStages())
    kinds += ", " + stage.name.str();
  return kinds;
}

/// Writes a file whole or not at all; `-` is standard output.
static int writeFile(llvm::StringRef path, llvm::StringRef contents) {
  std::string message;
  std::unique_ptr<llvm::ToolOutputFile> file =
      mlir::openOutputFile(path, &message);
  if (!file)
    return fail(message);
  file->os() << contents;
  file->os().flush();
  if (file->os().has_error()) {
    std::string reason = file->os().error().message();
    file->os().clear_error();
    return fail("cannot write '" + path + "': " + reason);
  }
  file->keep();
  return 0;
}

static std::string getStem() {
  return inputPath == "-" ? "model"
                          : llvm::sys::path::stem(inputPath.getValue()).str();
}

/// `path` with another extension.
static std::string withExtension(llvm::StringRef path,
                                 llvm::StringRef extension) {
  llvm::SmallString<128> result(path);
  llvm::sys::path::replace_extension(result, extension);
  return result.str().str();
}

/// Bytes of read-only data of an object, or nothing for a format without
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

static void printSizes(const Manifest &manifest, llvm::MemoryBufferRef object) {
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
  llvm::errs() << "model '" << manifest.model << "', extents up to " << maxBatch
               << "\n";
  print("trainable variables", trainable);
  print("optimizer slots", slots);
  print("other variables", others);
  print("state", manifest.stateBytes);
  for (const ManifestEntry &entry : manifest.entries) {
    llvm::SmallVector<int64_t> extents(entry.symbols.size(), maxBatch);
    print("workspace of " + entry.name,
          entry.getWorkspaceBytes(extents).getSaturated());
  }
  print("state block in C", getCStateBytes(manifest, maxBatch).getSaturated());
  print("constants", getConstantBytes(object));
  print("object file", object.getBufferSize());
}

static int emitModule(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module << "\n";
  return writeFile(outputPath.empty() ? "-" : outputPath.getValue(), text);
}

static CodegenOptions getCodegenOptions(const TargetOptions &target) {
  CodegenOptions codegen;
  codegen.target = target;
  codegen.optimizationLevel = optimizationLevel;
  codegen.loopVectorize = llvmVectorize;
  codegen.slpVectorize = llvmVectorize;
  return codegen;
}

/// Writes what --emit asks for from the lowered module.
static int emitMachineCode(CompiledModule &compiled,
                           const CompilerOptions &options) {
  llvm::Expected<MachineModule> code = MachineModule::create(
      *compiled.module, getCodegenOptions(options.target), &compiled.times);
  if (!code)
    return fail(llvm::toString(code.takeError()));
  std::string textPath = outputPath.empty() ? "-" : outputPath.getValue();
  if (emitKind == "llvm-ir")
    return writeFile(textPath, code->getLLVMIR());
  if (emitKind == "asm") {
    llvm::Expected<std::string> text = code->getAssembly(&compiled.times);
    if (!text)
      return fail(llvm::toString(text.takeError()));
    return writeFile(textPath, *text);
  }

  auto object = code->getObject(&compiled.times);
  if (!object)
    return fail(llvm::toString(object.takeError()));
  std::string path = outputPath.empty() ? getStem() + ".o" : outputPath;
  // An object on standard output has no companions but those asked for.
  bool isFile = path != "-";
  std::string header = headerPath, json = manifestPath;
  if (header.empty() && isFile)
    header = withExtension(path, "h");
  if (json.empty() && isFile)
    json = withExtension(path, "json");
  if (header == path || json == path || (header == json && !header.empty()))
    return fail("the object file, the header and the manifest need different "
                "paths, found '" +
                path + "', '" + header + "' and '" + json + "'");
  if (int status = writeFile(path, (*object)->getBuffer()))
    return status;
  if (!header.empty())
    if (int status =
            writeFile(header, emitCHeader(compiled.manifest, maxBatch)))
      return status;
  if (!json.empty())
    if (int status = writeFile(
            json,
            llvm::formatv("{0:2}\n", compiled.manifest.toJSON(maxBatch)).str()))
      return status;
  if (report)
    printSizes(compiled.manifest, **object);
  return 0;
}

static int compile() {
  bool isStage = llvm::any_of(
      getStages(), [](const Stage &stage) { return stage.name == emitKind; });
  if (!isStage && !isMachineKind())
    return fail("unknown kind of output '" + emitKind.getValue() +
                "'; expected one of: " + listKinds());
  if (emitKind != "obj" && (!headerPath.empty() || !manifestPath.empty()))
    return fail("--header and --manifest go with --emit=obj only");
  if (freezePath.empty() && !freezeVariables.empty())
    return fail("--freeze-variables goes with --freeze only");
  constexpr int64_t largestBatch = int64_t{1} << 24;
  if (maxBatch < 1 || maxBatch > largestBatch)
    return fail("expected --max-batch within [1, " + llvm::Twine(largestBatch) +
                "], found " + llvm::Twine(maxBatch));

  CompilerOptions options;
  options.modelName = modelName;
  options.lowering = lowering;
  options.maxExtent = maxBatch;
  options.memoryBudget = getByteSize(memoryBudget);
  options.entries = entries;
  options.frozenCheckpoint = freezePath;
  options.frozenVariables = freezeVariables;
  // This machine is what an empty name means everywhere.
  bool isHost = targetTriple.empty() && cpu == "host";
  options.target = {targetTriple, isHost ? "" : cpu.getValue(), features};
  if (isStage)
    options.stopAfter = emitKind;
  // A target that cannot work is reported before any work is done.
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(getCodegenOptions(options.target));
  if (!machine)
    return fail(llvm::toString(machine.takeError()));

  FrontEnd frontEnd;
  llvm::FailureOr<CompiledModule> compiled =
      frontEnd.compileFile(inputPath, options);
  if (failed(compiled))
    return 1;
  int status = isStage ? emitModule(*compiled->module)
                       : emitMachineCode(*compiled, options);
  if (status == 0 && (timeStages || report))
    printStageTimes(llvm::errs(), compiled->times);
  return status;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  std::string overview =
      "Compiles a Flywheel model to an object file with a C header and a JSON "
      "manifest.\n\nStages, in order, at which --emit can stop:\n";
  for (const Stage &stage : getStages())
    overview +=
        "  " + stage.name.str() + " - " + stage.description.str() + "\n";
  cl::ParseCommandLineOptions(argc, argv, overview);
  int status = 1;
  if (!runOnLargeStack([&] { status = compile(); }))
    return fail("no memory");
  return status;
}
