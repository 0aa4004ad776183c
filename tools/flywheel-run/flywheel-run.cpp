//===- flywheel-run.cpp - Compile a model in memory and run it ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"
#include "flywheel/Driver/Compiler.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace flywheel;
using namespace flywheel::run;
using flywheel::runtime::Result;
using flywheel::runtime::Status;
namespace cl = llvm::cl;

static constexpr const char *kOverview =
    R"(Compiles a Flywheel model and runs it in this process.

Training: --data with --train, --eval or both.
  Feeds read the columns of a safetensors file that have their names; the rows
  are split with --holdout, and shuffled before each epoch as
  flywheel/Runtime/Shuffle.h documents. The last batch of an epoch may be
  smaller. After each epoch the eval entry runs on the held-out rows (on all
  rows if none are held out). Its results are scalars, and are put together so:
    floating-point  a mean over the batch (a loss): averaged over all rows
    integer, bool   a count of rows (`correct`): summed, and shown as a share
  Epochs go to standard error, the last evaluation to standard output.

One entry: --entry, with a value for each of its feeds.
  --feed NAME=FILE:COLUMN    a tensor of a safetensors file
  --feed NAME=zeros[:SHAPE]  ones and numbers (0.5) likewise; SHAPE is 32x64
  --feed NAME=random[:SHAPE[:BOUND]]  in [0, BOUND); by default 1, or 2 for
                             integers; depends on --seed
  Without SHAPE it is the feed's, with --batch-size for each unknown extent.
  When training, --feed gives the feeds that are no columns; there
  NAME=column:OTHER reads the column OTHER.

Variables get initial values, or with --restore those of a checkpoint. --save
writes them at the end. --list shows what a model has.

Exit status: 0, or 1 after an error, which is printed to standard error.
)";

static cl::OptionCategory category("flywheel-run options");

static cl::opt<std::string> inputPath(cl::Positional, cl::desc("<model.mlir>"),
                                      cl::Required, cl::cat(category));
static cl::opt<std::string>
    dataPath("data", cl::value_desc("file"), cl::cat(category),
             cl::desc("Train on this safetensors file"));
static cl::opt<std::string>
    evalDataPath("eval-data", cl::value_desc("file"), cl::cat(category),
                 cl::desc("Evaluate on this file instead of held-out rows"));
static cl::opt<std::string> trainEntry("train", cl::value_desc("entry"),
                                       cl::cat(category),
                                       cl::desc("Entry that makes one step"));
static cl::opt<std::string> evalEntry("eval", cl::value_desc("entry"),
                                      cl::cat(category),
                                      cl::desc("Entry that evaluates"));
static cl::opt<uint64_t> epochs("epochs", cl::value_desc("N"), cl::init(10),
                                cl::cat(category),
                                cl::desc("Train until the N-th epoch, counting "
                                         "those before --resume (default 10)"));
static cl::opt<uint64_t> batchSize("batch-size", cl::value_desc("N"),
                                   cl::cat(category),
                                   cl::desc("Rows of a batch (default 32)"));
static cl::opt<double>
    holdout("holdout", cl::value_desc("share"), cl::cat(category),
            cl::desc("Share of the rows to hold out, 0 to 1 (default 0)"));
static cl::opt<uint64_t>
    seed("seed", cl::value_desc("N"), cl::cat(category),
         cl::desc("Of the split, the order of rows, random feeds and initial "
                  "values (default 1)"));
static cl::opt<uint64_t> initSeed("init-seed", cl::value_desc("N"),
                                  cl::cat(category),
                                  cl::desc("Of initial values only"));
static cl::opt<std::string>
    resumePath("resume", cl::value_desc("file"), cl::cat(category),
               cl::desc("Continue the training that saved this checkpoint, as "
                        "if it had not stopped"));
static cl::opt<std::string>
    restorePath("restore", cl::value_desc("file"), cl::cat(category),
                cl::desc("Take the variables from this checkpoint"));
static cl::opt<std::string> savePath("save", cl::value_desc("file"),
                                     cl::cat(category),
                                     cl::desc("Write a checkpoint at the end"));
static cl::opt<uint64_t>
    saveEvery("save-every", cl::value_desc("N"), cl::cat(category),
              cl::desc("Also write it after every N-th epoch"));
static cl::opt<bool>
    evalOnly("eval-only", cl::cat(category),
             cl::desc("Evaluate the variables of --restore, on the rows that "
                      "its training held out"));
static cl::opt<bool>
    printLosses("print-losses", cl::cat(category),
                cl::desc("Print the loss of each step, with 9 digits"));
static cl::opt<std::string> entryName("entry", cl::value_desc("name"),
                                      cl::cat(category),
                                      cl::desc("Entry to call"));
static cl::opt<uint64_t> steps("steps", cl::value_desc("N"), cl::init(1),
                               cl::cat(category),
                               cl::desc("Calls of --entry (default 1)"));
static cl::list<std::string> feeds("feed", cl::value_desc("NAME=VALUE"),
                                   cl::cat(category),
                                   cl::desc("Value of a feed, see above"));
static cl::list<std::string>
    prints("print", cl::value_desc("NAME"), cl::cat(category),
           cl::desc("Result of the last call, or variable, to print; without "
                    "any, all results"));
static cl::opt<bool> list("list", cl::cat(category),
                          cl::desc("Print entries, feeds, results, variables"));
static cl::list<std::string>
    entries("entries", cl::value_desc("names"), cl::CommaSeparated,
            cl::cat(category),
            cl::desc("Compile these entries and what they need only"));
static cl::opt<bool>
    softPlacement("soft-placement", cl::cat(category),
                  cl::desc("Keep variables on the CPU, with a warning, where "
                           "the device that they ask for is not there"));
static cl::opt<bool> timeSteps("time", cl::cat(category),
                               cl::desc("Print times of steps"));
static cl::opt<bool> timeStages("time-stages", cl::cat(category),
                                cl::desc("Print times of compilation"));
static cl::opt<Lowering> lowering(
    "lowering", cl::init(Lowering::Optimized), cl::cat(category),
    cl::desc("How tensor programs become loops"),
    cl::values(clEnumValN(Lowering::Optimized, "optimized",
                          "fused, tiled, packed and vectorized (default)"),
               clEnumValN(Lowering::Reference, "reference",
                          "one plain scalar loop nest an op, to compare "
                          "with")));

template <typename T>
static std::optional<T> getIfGiven(const cl::opt<T> &option) {
  return option.getNumOccurrences() ? std::optional<T>(option.getValue())
                                    : std::nullopt;
}

static RunOptions getOptions() {
  RunOptions options;
  options.data = dataPath;
  options.evalData = evalDataPath;
  options.trainEntry = trainEntry;
  options.evalEntry = evalEntry;
  options.resume = resumePath;
  options.epochs = epochs;
  options.saveEvery = saveEvery;
  options.evalOnly = evalOnly;
  options.printLosses = printLosses;
  options.batchSize = getIfGiven(batchSize);
  options.seed = getIfGiven(seed);
  options.initSeed = getIfGiven(initSeed);
  options.holdout = getIfGiven(holdout);
  options.entry = entryName;
  options.steps = steps;
  options.list = list;
  options.feeds = feeds;
  options.prints = prints;
  options.save = savePath;
  options.restore = restorePath;
  options.time = timeSteps;
  return options;
}

/// Options that contradict each other, found before anything is compiled.
static Status checkOptions(const RunOptions &options) {
  bool hasEpochs = !options.trainEntry.empty() || !options.evalEntry.empty();
  auto wrong = [](const char *text) { return Status::invalidArgument(text); };
  if (!options.resume.empty() && !options.restore.empty())
    return wrong("--resume and --restore exclude each other");
  if (!options.entry.empty() && (hasEpochs || !options.data.empty()))
    return wrong("--entry goes without --data, --train and --eval");
  if (hasEpochs && options.data.empty())
    return wrong("--train and --eval need --data");
  if (!options.data.empty() && !hasEpochs)
    return wrong("--data needs --train, --eval or both");
  if (options.evalOnly && options.evalEntry.empty())
    return wrong("--eval-only needs --eval");
  if (options.evalOnly && options.restore.empty())
    return wrong("--eval-only needs --restore");
  if (!options.data.empty() && options.trainEntry.empty() && !options.evalOnly)
    return wrong("--eval without --train needs --eval-only");
  if (!options.evalData.empty() && options.evalEntry.empty())
    return wrong("--eval-data needs --eval");
  if (options.evalOnly && !options.evalData.empty())
    return wrong("--eval-only evaluates on --data: leave --eval-data out");
  if (!options.resume.empty() && options.trainEntry.empty())
    return wrong("--resume needs --train");
  if (options.saveEvery > 0 && options.save.empty())
    return wrong("--save-every needs --save");
  if (options.entry.empty() && options.data.empty() && !options.feeds.empty())
    return wrong("--feed needs --entry or --data");
  bool hasWork = hasEpochs || !options.entry.empty() || options.list ||
                 !options.prints.empty() || !options.save.empty();
  if (!hasWork)
    return wrong("nothing to do: give --train, --entry, --list, --print or "
                 "--save, see --help");
  return {};
}

static int fail(const std::string &message) {
  llvm::outs().flush();
  llvm::WithColor::error(llvm::errs()) << message << "\n";
  return 1;
}

static int compileAndRun() {
  RunOptions options = getOptions();
  if (Status status = checkOptions(options); !status.isOk())
    return fail(status.message());
  mlir::DialectRegistry registry;
  registerAllFlywheelDialects(registry);
  mlir::MLIRContext context(registry);
  // Diagnostics of every stage show file, line, column and the source.
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  context.printOpOnDiagnostic(false);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      parseModuleFile(context, inputPath);
  if (!module)
    return 1;
  CompilerOptions compilerOptions;
  compilerOptions.lowering = lowering;
  compilerOptions.entries = entries;
  if (!module->getSymName() && inputPath != "-")
    compilerOptions.modelName = llvm::sys::path::stem(inputPath).str();
  llvm::FailureOr<CompiledModule> compiled =
      compileModule(std::move(module), compilerOptions);
  if (failed(compiled))
    return 1;
  Result<std::shared_ptr<const Program>> program =
      Program::create(*compiled->module, CodegenOptions(), &compiled->times);
  if (!program.isOk())
    return fail(program.status().message());
  if (timeStages)
    printStageTimes(llvm::errs(), compiled->times);
  if (options.list)
    listProgram(**program);
  SessionOptions sessionOptions;
  sessionOptions.softPlacement = softPlacement;
  sessionOptions.warn = [](const std::string &text) {
    llvm::WithColor::warning(llvm::errs()) << text << "\n";
  };
  Result<std::unique_ptr<Session>> session =
      Session::create(*program, sessionOptions);
  if (!session.isOk())
    return fail(session.status().message());
  Status status = options.data.empty() ? runEntry(**session, options)
                                       : runTraining(**session, options);
  if (!status.isOk())
    return fail(status.message());
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    std::string reason = llvm::outs().error().message();
    llvm::outs().clear_error();
    return fail("cannot write to standard output: " + reason);
  }
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  return compileAndRun();
}
