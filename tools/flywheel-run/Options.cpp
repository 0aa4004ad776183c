//===- Options.cpp - The command line -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOptions.h"

#include "flywheel/Driver/CacheFlags.h"
#include "flywheel/Driver/FrontEnd.h"
#include "flywheel/Driver/InputOption.h"
#include "flywheel/Driver/NumberOption.h"
#include "flywheel/Driver/OptionFlags.h"
#include "flywheel/Driver/TextOption.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"

using namespace flywheel;
using namespace flywheel::run;
using flywheel::runtime::Result;
using flywheel::runtime::Status;
using llvm::StringRef;
namespace cl = llvm::cl;

static constexpr const char *kOverview =
    R"(Compiles a Flywheel model and runs it in this process.

Training: --data with --train, --eval or both.
  Feeds read the columns of a safetensors file that have their names; the rows
  are split with --holdout, and shuffled before each epoch as
  flywheel/Runtime/Shuffle.h documents, but with --no-shuffle. The last batch of an epoch may be
  smaller. After each epoch the eval entry runs on the held-out rows (on all
  rows if none are held out). Its results are scalars, and are put together so:
    floating-point  a mean over the batch (a loss): averaged over all rows
    integer, bool   a count of rows (`correct`): summed, and shown as a share
  Epochs go to standard error, the last evaluation to standard output.

Entries: --entry, once or more, with a value for each feed. A feed that several
entries have is given once.
  --feed NAME=FILE:COLUMN    a tensor of a safetensors file
  --feed NAME=zeros[:SHAPE]  ones and numbers (0.5) likewise; SHAPE is 32x64
  --feed NAME=1,2,3          a list of numbers; [[1,2],[3,4]] is a matrix,
                             and so on
  --feed NAME=random[:SHAPE[:BOUND]]  in [0, BOUND); by default 1, or 2 for
                             integers; depends on --seed
  --feed NAME=TEXT           where the feed takes strings: TEXT as every element
  Without SHAPE it is the feed's, with --batch-size for each unknown dimension size.
  When training, --feed gives the feeds that are not columns; there
  NAME=column:OTHER reads the column OTHER.

Variables get values before the first step: those of a checkpoint (--restore,
--restore-latest, --resume), then those of --set, then initial values where
there is none yet (--init). --save writes them at the end, --checkpoint also on
the way. --list shows what a model has. --help-hidden lists upstream's options,
such as --mlir-timing.

Exit status: 0, or 1 after an error, which is printed to standard error.
)";

namespace {
/// The options of the command line, which LLVM knows from when this is made:
/// several tools may be in one library.
struct CommandLine {
  RunOptions getOptions();
  Status check(const RunOptions &options);

  cl::OptionCategory category{"flywheel-run options"};
  InputOption inputPath{cl::Positional, cl::desc("<model.mlir>"), cl::OneOrMore,
                        cl::cat(category)};
  TextOption dataPath{"data", cl::value_desc("file"), cl::cat(category),
                      cl::desc("Train on this safetensors file")};
  TextOption evalDataPath{
      "eval-data", cl::value_desc("file"), cl::cat(category),
      cl::desc("Evaluate on this file instead of held-out rows")};
  TextOption trainEntry{"train", cl::value_desc("entry"), cl::cat(category),
                        cl::desc("Entry that makes one step")};
  TextOption evalEntry{"eval", cl::value_desc("entry"), cl::cat(category),
                       cl::desc("Entry that evaluates")};
  NumberOption<uint64_t> epochs{"epochs", cl::value_desc("N"), cl::init(10),
                                cl::cat(category),
                                cl::desc("Train until the N-th epoch, counting "
                                         "those before --resume (default 10)")};
  NumberOption<uint64_t> batchSize{"batch-size", cl::value_desc("N"),
                                   cl::cat(category),
                                   cl::desc("Rows of a batch (default 32)")};
  NumberOption<double> holdout{
      "holdout", cl::value_desc("share"), cl::cat(category),
      cl::desc("Share of the rows to hold out, 0 to 1 (default 0)")};
  NumberOption<uint64_t> seed{
      "seed", cl::value_desc("N"), cl::cat(category),
      cl::desc("Seed of the split, the order of rows, random feeds and initial "
               "values (default 1)")};
  NumberOption<uint64_t> initSeed{"init-seed", cl::value_desc("N"),
                                  cl::cat(category),
                                  cl::desc("Seed of initial values only")};
  cl::opt<bool> noShuffle{
      "no-shuffle", cl::cat(category),
      cl::desc("Train on the rows in their order, every epoch")};
  TextOption resumePath{
      "resume", cl::value_desc("file"), cl::cat(category),
      cl::desc("Continue the training that saved this checkpoint, as "
               "if it had not stopped")};
  TextOption restorePath{"restore", cl::value_desc("file"), cl::cat(category),
                         cl::desc("Take the variables from this checkpoint")};
  TextOption restoreLatestPath{
      "restore-latest", cl::value_desc("directory"), cl::cat(category),
      cl::desc(
          "Go on from the latest checkpoint of a directory, if it has any")};
  cl::list<std::string> restoreVariables{
      "restore-variables", cl::value_desc("NAME[=KEY],..."), cl::cat(category),
      cl::CommaSeparated,
      cl::desc("Restore these only, from their keys in the checkpoint")};
  cl::opt<bool> reshape{
      "reshape", cl::cat(category),
      cl::desc("Restore from another shape with as many elements")};
  cl::opt<bool> anyModel{
      "any-model", cl::cat(category),
      cl::desc("Restore from a checkpoint of a model of another name")};
  cl::list<std::string> sets{
      "set", cl::value_desc("NAME=VALUE"), cl::cat(category),
      cl::desc("Value of a variable before the first step, as of --feed")};
  cl::list<std::string> init{
      "init", cl::value_desc("none|all|NAME,..."), cl::cat(category),
      cl::CommaSeparated,
      cl::desc("Variables to initialise; without it those that have no "
               "value; all are those of GLOBAL and LOCAL")};
  cl::opt<bool> reportUninitialized{
      "report-uninitialized", cl::cat(category),
      cl::desc("Print the variables without a value before the first step")};
  TextOption savePath{"save", cl::value_desc("file"), cl::cat(category),
                      cl::desc("Write a checkpoint at the end")};
  NumberOption<uint64_t> saveEvery{
      NumberRange<uint64_t>{1}, "save-every", cl::value_desc("N"),
      cl::cat(category), cl::desc("Also write it after every N-th epoch")};
  cl::list<std::string> saveVariables{
      "save-variables", cl::value_desc("NAME[=KEY],..."), cl::cat(category),
      cl::CommaSeparated,
      cl::desc("Save these only, under their keys in the checkpoint")};
  TextOption checkpointPrefix{
      "checkpoint", cl::value_desc("prefix"), cl::cat(category),
      cl::desc("Write checkpoints PREFIX-STEP, and a state file "
               "that lists them; the last one at the end")};
  NumberOption<uint64_t> checkpointEvery{
      NumberRange<uint64_t>{1}, "checkpoint-every", cl::value_desc("N"),
      cl::cat(category), cl::desc("Also after every N-th step (epoch)")};
  NumberOption<uint64_t> maxToKeep{
      "max-to-keep", cl::value_desc("N"), cl::cat(category),
      cl::desc("Newest checkpoints to keep (default 5; 0 keeps all)")};
  NumberOption<double> keepEveryHours{
      "keep-every-hours", cl::value_desc("H"), cl::cat(category),
      cl::desc("Keep one of the others each H hours (default 10000)")};
  cl::opt<bool> padStep{
      "pad-step", cl::cat(category),
      cl::desc("Write the STEP of checkpoints with 8 digits")};
  TextOption globalStep{
      "global-step", cl::value_desc("NAME"), cl::cat(category),
      cl::desc("Variable that is the STEP of checkpoints; without it "
               "steps (epochs) are counted")};
  TextOption stateFile{
      "state-file", cl::value_desc("name"), cl::cat(category),
      cl::desc("State file of --checkpoint and --restore-latest "
               "(default checkpoint)")};
  cl::opt<bool> evalOnly{
      "eval-only", cl::cat(category),
      cl::desc("Evaluate the variables of --restore, on the rows that "
               "its training held out")};
  cl::opt<bool> printLosses{
      "print-losses", cl::cat(category),
      cl::desc("Print the loss of each step, with 9 digits")};
  cl::list<std::string> entryNames{
      "entry", cl::value_desc("name"), cl::cat(category),
      cl::desc("Entry to call; may be given several times, a step "
               "calls them in order")};
  NumberOption<uint64_t> steps{"steps", cl::value_desc("N"), cl::init(1),
                               cl::cat(category),
                               cl::desc("Steps to make (default 1)")};
  cl::list<std::string> feeds{"feed", cl::value_desc("NAME=VALUE"),
                              cl::cat(category),
                              cl::desc("Value of a feed, see above")};
  cl::list<std::string> prints{
      "print", cl::value_desc("NAME"), cl::cat(category),
      cl::desc("Result of the last step (or ENTRY.RESULT), or variable, "
               "to print; without any, all results")};
  NumberOption<uint64_t> printEvery{
      NumberRange<uint64_t>{1}, "print-every", cl::value_desc("N"),
      cl::cat(category),
      cl::desc("Print scalars of every N-th step, on one line")};
  TextOption saveResults{
      "save-results", cl::value_desc("file"), cl::cat(category),
      cl::desc("Write what --print chooses, by default all results, "
               "as safetensors instead of printing all")};
  cl::opt<bool> list{"list", cl::cat(category),
                     cl::desc("Print entries, feeds, results, variables")};
  cl::opt<bool> softPlacement{
      "soft-placement", cl::cat(category),
      cl::desc("Keep variables on the CPU, with a warning, if "
               "the device that they name does not exist")};
  cl::opt<bool> timeSteps{"time", cl::cat(category),
                          cl::desc("Print times of steps")};
  cl::opt<std::string> profile{
      "profile", cl::ValueOptional, cl::value_desc("trace.json"),
      cl::cat(category),
      cl::desc(
          "Print how long each kernel of the steps takes, and write a trace "
          "for Perfetto to a file")};
  CacheFlags cache{category};
  cl::opt<bool> debugInfo{
      "g", cl::cat(category),
      cl::desc("Tell a debugger which line each instruction is of")};
  cl::opt<bool> perfMap{
      "perf-map", cl::cat(category),
      cl::desc("Write /tmp/perf-PID.map, in which perf finds the names "
               "of kernels; FLYWHEEL_PERF_MAP=1 does the same")};
  cl::opt<bool> timeStages{"time-stages", cl::cat(category),
                           cl::desc("Print times of compilation")};

private:
  runtime::CheckpointManagerOptions getRetention();
  void addInitialValues(RunOptions &options);
  Status checkMode(const RunOptions &options);
  Status checkSaving(const RunOptions &options);
};
} // namespace

template <typename T, typename Parser>
static std::optional<T>
getIfGiven(const cl::opt<T, /*ExternalStorage=*/false, Parser> &option) {
  return option.getNumOccurrences() ? std::optional<T>(option.getValue())
                                    : std::nullopt;
}

runtime::CheckpointManagerOptions CommandLine::getRetention() {
  runtime::CheckpointManagerOptions retention;
  retention.maxToKeep = getIfGiven(maxToKeep).value_or(retention.maxToKeep);
  retention.keepCheckpointEveryNHours =
      getIfGiven(keepEveryHours).value_or(retention.keepCheckpointEveryNHours);
  retention.padStepNumber = padStep;
  retention.stateFile = getIfGiven(stateFile).value_or(retention.stateFile);
  return retention;
}

void CommandLine::addInitialValues(RunOptions &options) {
  if (init.getNumOccurrences() == 0)
    return;
  std::vector<std::string> names = init;
  bool isKeyword = names.size() == 1;
  if (isKeyword && names.front() == "none") {
    options.initialValues = InitialValues::None;
    return;
  }
  if (isKeyword && names.front() == "all") {
    options.initialValues = InitialValues::All;
    return;
  }
  options.initialValues = InitialValues::Named;
  options.initNames = std::move(names);
}

RunOptions CommandLine::getOptions() {
  RunOptions options;
  options.input = inputPath;
  options.timeStages = timeStages;
  options.compiler.cInterface = false;
  options.compiler.profile = profile.getNumOccurrences() > 0;
  options.trace = profile;
  options.perfMap = perfMap;
  options.debugInfo = debugInfo;
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
  if (noShuffle)
    options.shuffle = false;
  options.entries = entryNames;
  options.steps = steps;
  options.printEvery = printEvery;
  options.saveResults = saveResults;
  options.list = list;
  options.softPlacement = softPlacement;
  options.feeds = feeds;
  options.prints = prints;
  options.time = timeSteps;
  options.restore = restorePath;
  options.restoreLatest = restoreLatestPath;
  options.save = savePath;
  options.restoreVariables = restoreVariables;
  options.saveVariables = saveVariables;
  options.sets = sets;
  addInitialValues(options);
  options.reshape = reshape;
  options.anyModel = anyModel;
  options.reportUninitialized = reportUninitialized;
  options.checkpoint = checkpointPrefix;
  options.globalStep = globalStep;
  options.checkpointEvery = checkpointEvery;
  options.retention = getRetention();
  return options;
}

bool RunOptions::onlyLists() const {
  bool runs = !data.empty() || !entries.empty();
  bool hasValues = !restore.empty() || !restoreLatest.empty() ||
                   !sets.empty() || initialValues != InitialValues::Missing;
  bool hasOutput = !prints.empty() || !save.empty() || !checkpoint.empty() ||
                   reportUninitialized;
  return list && !runs && !hasValues && !hasOutput;
}

static Status wrong(const llvm::Twine &text) {
  return Status::invalidArgument(text.str());
}

/// Checks the options that choose what to run.
Status CommandLine::checkMode(const RunOptions &options) {
  bool hasEpochs = !options.trainEntry.empty() || !options.evalEntry.empty();
  bool hasData = !options.data.empty(), hasEntries = !options.entries.empty();
  if (hasEntries && (hasEpochs || hasData))
    return wrong("--entry cannot be combined with --data, --train or --eval");
  if (hasEpochs && !hasData)
    return wrong("--train and --eval need --data");
  if (hasData && !hasEpochs)
    return wrong("--data needs --train, --eval or both");
  if (options.evalOnly && options.evalEntry.empty())
    return wrong("--eval-only needs --eval");
  if (options.evalOnly && options.restore.empty() &&
      options.restoreLatest.empty())
    return wrong("--eval-only needs --restore or --restore-latest");
  if (options.evalOnly && !options.trainEntry.empty())
    return wrong("--eval-only cannot be combined with --train");
  if (hasData && options.trainEntry.empty() && !options.evalOnly)
    return wrong("--eval without --train needs --eval-only");
  if (!options.evalData.empty() && options.evalEntry.empty())
    return wrong("--eval-data needs --eval");
  if (options.evalOnly && !options.evalData.empty())
    return wrong("--eval-only evaluates on --data: leave --eval-data out");
  if (!hasEntries && !hasData && !options.feeds.empty())
    return wrong("--feed needs --entry or --data");
  if (options.printEvery > 0 && !hasEntries)
    return wrong("--print-every needs --entry");
  if (steps.getNumOccurrences() && !hasEntries)
    return wrong("--steps needs --entry");
  if (options.holdout && !hasData)
    return wrong("--holdout needs --data");
  if (options.compiler.profile &&
      (!(hasEntries || hasData) || options.steps == 0))
    return wrong("--profile needs --entry or --data, and at least one of "
                 "--steps");
  const cl::Option *trainingOptions[] = {&epochs, &printLosses, &noShuffle};
  for (const cl::Option *option : trainingOptions)
    if (option->getNumOccurrences() && options.trainEntry.empty())
      return wrong("--" + option->ArgStr + " needs --train");
  if (options.batchSize == uint64_t(0))
    return wrong("expected a batch size of at least 1, found 0");
  if (!options.saveResults.empty() && (!hasEntries || options.steps == 0))
    return wrong("--save-results needs --entry and at least one of --steps");
  bool hasWork = hasEpochs || hasEntries || options.list ||
                 !options.prints.empty() || !options.save.empty() ||
                 !options.checkpoint.empty() || options.reportUninitialized;
  if (!hasWork)
    return wrong("nothing to do: give --train, --entry, --list, --print, "
                 "--report-uninitialized, --save or --checkpoint, see --help");
  return {};
}

/// Returns the name in `NAME=TEXT` or `NAME`.
static StringRef getName(const std::string &argument) {
  return StringRef(argument).split('=').first;
}

/// Checks the options that give variables their values.
static Status checkValues(const RunOptions &options) {
  bool isResumed = !options.resume.empty();
  bool isRestored = !options.restore.empty() || !options.restoreLatest.empty();
  if (isResumed && isRestored)
    return wrong(
        "--resume and " +
        StringRef(options.restore.empty() ? "--restore-latest" : "--restore") +
        " exclude each other");
  if (!options.restore.empty() && !options.restoreLatest.empty())
    return wrong("--restore and --restore-latest exclude each other");
  if (isResumed && options.trainEntry.empty())
    return wrong("--resume needs --train");
  bool isPartial = !options.restoreVariables.empty() || options.reshape;
  StringRef partial = options.reshape ? "--reshape" : "--restore-variables";
  if (isPartial && !isRestored)
    return wrong(partial + " needs --restore or --restore-latest");
  if (options.anyModel && !isRestored && !isResumed)
    return wrong("--any-model needs --restore, --restore-latest or --resume");
  if (isPartial && !options.restoreLatest.empty() &&
      !options.trainEntry.empty())
    return wrong("--restore-latest continues a training as it was: leave " +
                 partial + " out, or start anew with --restore");
  if (options.initialValues == InitialValues::All && (isRestored || isResumed))
    return wrong("--init=all would overwrite what is restored: leave it out, "
                 "then only variables without a value are initialised");
  bool isContinued = isResumed || (!options.restoreLatest.empty() &&
                                   !options.trainEntry.empty());
  if (isContinued && !options.initNames.empty())
    return wrong("--init would overwrite what a continued training restores: "
                 "leave it out, or start anew with --restore");
  if (options.initialValues == InitialValues::All && !options.sets.empty())
    return wrong("--init=all would overwrite what --set sets: leave it out, "
                 "then only variables without a value are initialised");
  for (const std::string &name : options.initNames) {
    if (name.empty())
      return wrong("expected none, all or names of variables in --init");
    auto isSame = [&](const std::string &text) {
      return getName(text) == name;
    };
    if (llvm::any_of(options.sets, isSame))
      return wrong("--init would overwrite what --set sets: '" + name + "'");
    if (llvm::any_of(options.restoreVariables, isSame))
      return wrong("--init would overwrite what --restore-variables restores: "
                   "'" +
                   name + "'");
  }
  return {};
}

/// Checks the options that save values.
Status CommandLine::checkSaving(const RunOptions &options) {
  if (options.saveEvery > 0 && options.save.empty())
    return wrong("--save-every needs --save");
  if (options.saveEvery > 0 && options.trainEntry.empty())
    return wrong("--save-every counts epochs, so it needs --train: for steps "
                 "of entries give --checkpoint and --checkpoint-every");
  bool hasCheckpoints = !options.checkpoint.empty();
  if (!options.saveVariables.empty() && options.save.empty() && !hasCheckpoints)
    return wrong("--save-variables needs --save or --checkpoint");
  if (hasCheckpoints && options.evalOnly)
    return wrong("--checkpoint cannot be combined with --eval-only, which "
                 "changes nothing "
                 "that could be saved");
  if (stateFile.getNumOccurrences() && !hasCheckpoints &&
      options.restoreLatest.empty())
    return wrong("--state-file needs --checkpoint or --restore-latest");
  if (options.retention.keepCheckpointEveryNHours < 0.0)
    return wrong("expected a number of hours of at least 0 in "
                 "--keep-every-hours");
  const cl::Option *dependents[] = {&checkpointEvery, &maxToKeep,
                                    &keepEveryHours, &padStep, &globalStep};
  for (const cl::Option *option : dependents)
    if (option->getNumOccurrences() && !hasCheckpoints)
      return wrong("--" + option->ArgStr + " needs --checkpoint");
  return {};
}

Status CommandLine::check(const RunOptions &options) {
  for (const Status &status :
       {checkValues(options), checkMode(options), checkSaving(options)})
    if (!status.isOk())
      return status;
  return {};
}

Result<RunOptions> flywheel::run::parseCommandLine(int argc, char **argv) {
  static CommandLine line;
  registerUpstreamOptions(line.category);
  static const OptionFlags flags({"passes", "entries", "check_numerics",
                                  "lowering", "memory_budget", "winograd",
                                  "target", "threads", "max_dim_size"},
                                 line.category);
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  RunOptions options = line.getOptions();
  if (llvm::Error error = flags.apply(options.compiler))
    return wrong(llvm::toString(std::move(error)));
  llvm::Expected<std::optional<ProgramCache>> cache = line.cache.getCache();
  if (!cache)
    return wrong(llvm::toString(cache.takeError()));
  options.cache = std::move(*cache);
  // A budget is meant for the batches that are fed.
  std::optional<DimSizeBounds> &bounds = options.compiler.maxDimSizes;
  if (options.compiler.memoryBudget && !(bounds && bounds->isChosen)) {
    bounds = bounds.value_or(DimSizeBounds());
    bounds->others = options.getBatchSize();
  }
  if (Status status = line.check(options); !status.isOk())
    return status;
  return options;
}
