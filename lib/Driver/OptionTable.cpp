//===- OptionTable.cpp - The options that users give ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "flywheel/Driver/OptionTable.h"
#include "flywheel/Driver/ByteSizeOption.h"
#include "flywheel/Driver/Compiler.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;
using llvm::Twine;

namespace flywheel {

static constexpr llvm::StringLiteral kExpand = "flywheel-expand",
                                     kAutodiff = "flywheel-autodiff",
                                     kLinalg = "flywheel-linalg",
                                     kFuse = "flywheel-fuse",
                                     kBufferize = "flywheel-bufferize",
                                     // A module is the same with any value.
    kNoStage = "";

#define FLYWHEEL_SLOT(type, member)                                            \
  OptionSlot<type> {                                                           \
    [](CompilerOptions &options) -> type & { return options.member; }          \
  }

llvm::ArrayRef<OptionInfo> getOptionTable() {
  using Texts = std::vector<std::string>;
  using MaybeNumber = std::optional<int64_t>;
  static const OptionInfo options[] = {
      // By default it is of the file that the first stage reads.
      {"model_name", TextKind{FLYWHEEL_SLOT(std::string, modelName)}, kExpand,
       OptionInKey::Value, "name", "a string",
       "Prefix of the C symbols. By default the module's name, or else the "
       "input's stem",
       /*needs=*/"", /*excludes=*/"", /*isOpen=*/true},
      {"passes", TextKind{FLYWHEEL_SLOT(std::string, passes)}, kExpand,
       OptionInKey::Value, "pipeline", "a string such as 'cse'",
       "Run these passes, of MLIR, of Flywheel or of a plugin, before the "
       "first stage: cse,func.func(canonicalize)"},
      {"entries", NamesKind{FLYWHEEL_SLOT(Texts, entries)}, kExpand,
       OptionInKey::Value, "names", "a list of strings",
       "Keep these entries, and the variables that they use, only: "
       "predict,eval"},
      {"freeze",
       TextKind{FLYWHEEL_SLOT(std::string, frozenCheckpoint), /*isPath=*/true},
       kExpand, OptionInKey::NotKept, "checkpoint", "the path of a checkpoint",
       "Replace every variable that no entry assigns by its value in this "
       "checkpoint"},
      {"freeze_variables", NamesKind{FLYWHEEL_SLOT(Texts, frozenVariables)},
       kExpand, OptionInKey::NotKept, "names", "a list of strings",
       "Replace these variables only",
       /*needs=*/"freeze"},
      {"initial_values",
       TextKind{FLYWHEEL_SLOT(std::string, initialCheckpoint), /*isPath=*/true},
       kExpand, OptionInKey::NotKept, "checkpoint", "the path of a checkpoint",
       "Variables that this checkpoint has values of, slots and counters too, "
       "start from them",
       /*needs=*/"", /*excludes=*/"external_values"},
      {"external_values",
       TextKind{FLYWHEEL_SLOT(std::string, externalCheckpoint),
                /*isPath=*/true},
       kExpand, OptionInKey::NotKept, "checkpoint", "the path of a checkpoint",
       "Variables that this checkpoint has values of start without one: the "
       "program restores the checkpoint",
       /*needs=*/"", /*excludes=*/"initial_values"},
      // Calls of the host are for a CPU.
      {"target", TextKind{FLYWHEEL_SLOT(std::string, target.device)}, kExpand,
       OptionInKey::Target, "device", "a string such as 'cuda:sm_90a'",
       "Where steps are executed: cpu (default), cuda[:CHIP,...], such as "
       "cuda:sm_80,sm_90a, or rocm[:CHIP]"},
      {"check_numerics", FlagKind{FLYWHEEL_SLOT(bool, checkNumerics)},
       kAutodiff, OptionInKey::Value, "", "True or False",
       "Steps fail at the first op whose result has a NaN or an infinity, and "
       "name it; variables keep their values"},
      {"lowering",
       LoweringKind{FLYWHEEL_SLOT(std::optional<Lowering>, lowering)}, kLinalg,
       OptionInKey::Value, "lowering", "'optimized' or 'reference'",
       "How tensor programs become loops: optimized (fused, tiled, packed and "
       "vectorized; the default) or reference (one plain scalar loop nest an "
       "op, to compare with)"},
      // With a budget, products leave loops only if that takes no memory.
      {"memory_budget",
       NumberKind{FLYWHEEL_SLOT(MaybeNumber, memoryBudget), /*least=*/0,
                  std::numeric_limits<int64_t>::max(), /*countsBytes=*/true},
       kLinalg, OptionInKey::Value, "bytes", "a number of bytes",
       "Bytes, as 65536, 64KiB or 2MiB, that the workspace of an entry may "
       "have where no dynamic dimension size exceeds its bound: values that do "
       "not fit are recomputed. By default any number"},
      {"winograd", FlagKind{FLYWHEEL_SLOT(bool, winograd)}, kFuse,
       OptionInKey::Value, "", "True or False",
       "Compute 3 x 3 convolutions by Winograd's method where that is faster: "
       "with larger errors, which docs/Precision.md bounds",
       /*needs=*/"", /*excludes=*/"", /*isOpen=*/false,
       &BackendFeatures::hasWinograd},
      // The work of kernels is counted before ops are split into loops.
      {"profile", FlagKind{FLYWHEEL_SLOT(bool, profile)}, kFuse,
       OptionInKey::Value, "", "True or False",
       "Steps count the calls and the time of each kernel in the block of "
       "state, and the header says how to read them"},
      {"target_triple", TextKind{FLYWHEEL_SLOT(std::string, target.triple)},
       kFuse, OptionInKey::Target, "triple", "a string",
       "Machine to compile for. By default this one"},
      {"cpu", TextKind{FLYWHEEL_SLOT(std::string, target.cpu)}, kFuse,
       OptionInKey::Target, "name", "a string such as 'x86-64-v3'",
       "CPU to compile for, 'host' for this one. By default this one, or with "
       "a target triple the least of the architecture"},
      {"features", TextKind{FLYWHEEL_SLOT(std::string, target.features)}, kFuse,
       OptionInKey::Target, "list", "a string such as '+avx2,-fma'",
       "CPU features to add or take away: +avx2,-fma"},
      {"target_l1_bytes",
       NumberKind{FLYWHEEL_SLOT(int64_t, target.l1Bytes), /*least=*/1}, kFuse,
       OptionInKey::Target, "bytes", "a number of bytes",
       "First data cache of a core, which tiles are made for. By default this "
       "machine's with its own CPU, else 49152",
       /*needs=*/"", /*excludes=*/"", /*isOpen=*/false,
       &BackendFeatures::tilesForCaches},
      {"target_l2_bytes",
       NumberKind{FLYWHEEL_SLOT(int64_t, target.l2Bytes), /*least=*/1}, kFuse,
       OptionInKey::Target, "bytes", "a number of bytes",
       "Second cache of a core. By default this machine's with its own CPU, "
       "else 2097152",
       /*needs=*/"", /*excludes=*/"", /*isOpen=*/false,
       &BackendFeatures::tilesForCaches},
      {"target_cores",
       NumberKind{FLYWHEEL_SLOT(int64_t, target.cores), /*least=*/1}, kFuse,
       OptionInKey::Target, "N", "a number of cores",
       "Cores that a step may use. By default this machine's with its own CPU, "
       "else 1",
       /*needs=*/"", /*excludes=*/"", /*isOpen=*/false,
       &BackendFeatures::tilesForCaches},
      // Backend::checkOptions() refuses several if they cannot share a step.
      {"threads",
       NumberKind{FLYWHEEL_SLOT(MaybeNumber, threads.given), /*least=*/1,
                  kMaxThreads},
       kFuse, OptionInKey::Value, "N", "a number of threads",
       "Up to N threads execute a step together: functions of the C "
       "interface then take a team of at most N workers. By default 1; "
       "where steps are run at once, FLYWHEEL_NUM_THREADS of the environment, "
       "or else the processors that the process may use"},
      {"max_dim_size",
       BoundsKind{FLYWHEEL_SLOT(std::optional<DimSizeBounds>, maxDimSizes)},
       kBufferize, OptionInKey::Value, "N|NAME=N",
       "a number, or a dict from sizes to numbers,",
       "Bounds of dynamic dimension sizes: of all (default 1024), and of some "
       "by their names, as batch=4,time=256. They fix the workspace; a feed "
       "with more than a bound with a name is refused"},
      {"min_shared_work", NumberKind{FLYWHEEL_SLOT(int64_t, minSharedWork)},
       kBufferize, OptionInKey::Value, "N", "a number of operations",
       "With threads: scalar operations that are worth sharing. A step of less "
       "is executed by one thread (default 4000000)",
       /*needs=*/"", /*excludes=*/"", /*isOpen=*/false,
       &BackendFeatures::sharesSteps},
      {"report", FlagKind{FLYWHEEL_SLOT(bool, report)}, kNoStage,
       OptionInKey::NotKept, "", "True or False",
       "Print sizes (state, workspace, constants, object) and the time of each "
       "stage to standard error, and by remarks what the workspace of each "
       "step has to hold and how its contractions are computed"},
  };
  return options;
}

#undef FLYWHEEL_SLOT

const OptionInfo *findOption(StringRef name) {
  const OptionInfo *found =
      llvm::find_if(getOptionTable(),
                    [&](const OptionInfo &one) { return one.name == name; });
  return found == getOptionTable().end() ? nullptr : found;
}

/// Checks that the passes that `options` name exist.
static llvm::Error checkPasses(const CompilerOptions &options,
                               const Twine &name) {
  if (options.passes.empty())
    return llvm::Error::success();
  registerAllFlywheelPasses();
  mlir::OpPassManager pm(mlir::ModuleOp::getOperationName());
  std::string reason;
  llvm::raw_string_ostream os(reason);
  if (succeeded(mlir::parsePassPipeline(options.passes, pm, os)))
    return llvm::Error::success();
  // The first line, without the place in the text; others show the text.
  StringRef line = StringRef(reason).split('\n').first;
  return llvm::createStringError(
      name + ": expected a pipeline of passes, found '" + options.passes +
      "': " + line.rsplit("error: ").second);
}

llvm::Error
checkOptions(const CompilerOptions &options,
             llvm::function_ref<std::string(const OptionInfo &)> spell) {
  for (const OptionInfo &option : getOptionTable()) {
    if (!option.isGiven(options))
      continue;
    const OptionInfo *needed = findOption(option.needs),
                     *excluded = findOption(option.excludes);
    if (needed && !needed->isGiven(options))
      return llvm::createStringError(spell(option) + " needs " +
                                     spell(*needed));
    if (excluded && excluded->isGiven(options))
      return llvm::createStringError(spell(option) + " and " +
                                     spell(*excluded) + " exclude each other");
  }
  return checkPasses(options, spell(*findOption("passes")));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static llvm::Error expectOther(const Twine &expected, const Twine &found) {
  return llvm::createStringError("expected " + expected + ", found " + found);
}

static std::string describe(const OptionValue &value) {
  if (const bool *flag = std::get_if<bool>(&value))
    return *flag ? "true" : "false";
  if (const int64_t *number = std::get_if<int64_t>(&value))
    return std::to_string(*number);
  if (const auto *text = std::get_if<std::string>(&value))
    return "'" + *text + "'";
  if (const auto *texts = std::get_if<std::vector<std::string>>(&value))
    return "[" + llvm::join(*texts, ", ") + "]";
  return "nothing";
}

static bool isNothing(const OptionValue &value) { return value.index() == 0; }

OptionValue FlagKind::get(CompilerOptions &options) const {
  return slot(options);
}

llvm::Error FlagKind::set(CompilerOptions &options,
                          const OptionValue &value) const {
  const bool *flag = std::get_if<bool>(&value);
  if (!flag)
    return expectOther("true or false", describe(value));
  slot(options) = *flag;
  return llvm::Error::success();
}

OptionValue NumberKind::get(CompilerOptions &options) const {
  std::optional<int64_t> number;
  if (const auto *plain = std::get_if<OptionSlot<int64_t>>(&slot))
    number = (*plain)(options);
  else
    number = std::get<OptionSlot<std::optional<int64_t>>>(slot)(options);
  return number && *number >= least ? OptionValue(*number) : OptionValue();
}

llvm::Error NumberKind::set(CompilerOptions &options,
                            const OptionValue &value) const {
  const int64_t *number = std::get_if<int64_t>(&value);
  if (!isNothing(value) && (!number || *number < least || *number > most))
    return expectOther(describe(), flywheel::describe(value));
  CompilerOptions defaults;
  if (const auto *plain = std::get_if<OptionSlot<int64_t>>(&slot))
    (*plain)(options) = number ? *number : (*plain)(defaults);
  else
    std::get<OptionSlot<std::optional<int64_t>>>(slot)(options) =
        number ? std::optional(*number) : std::nullopt;
  return llvm::Error::success();
}

std::string NumberKind::describe() const {
  if (countsBytes)
    return "a number of bytes, such as 65536, 64KiB or 2MiB";
  if (most == std::numeric_limits<int64_t>::max())
    return "a whole number of at least " + std::to_string(least);
  return "a whole number from " + std::to_string(least) + " to " +
         std::to_string(most);
}

OptionValue TextKind::get(CompilerOptions &options) const {
  const std::string &text = slot(options);
  return text.empty() ? OptionValue() : OptionValue(text);
}

llvm::Error TextKind::set(CompilerOptions &options,
                          const OptionValue &value) const {
  const auto *text = std::get_if<std::string>(&value);
  if (!text && !isNothing(value))
    return expectOther("a text", describe(value));
  if (text && text->empty())
    return expectOther("a value", "an empty one");
  slot(options) = text ? *text : std::string();
  return llvm::Error::success();
}

OptionValue NamesKind::get(CompilerOptions &options) const {
  return slot(options);
}

llvm::Error NamesKind::set(CompilerOptions &options,
                           const OptionValue &value) const {
  const auto *texts = std::get_if<std::vector<std::string>>(&value);
  if (!texts)
    return expectOther("a list of texts", describe(value));
  slot(options) = *texts;
  return llvm::Error::success();
}

OptionValue LoweringKind::get(CompilerOptions &options) const {
  std::optional<Lowering> lowering = slot(options);
  if (!lowering)
    return {};
  return std::string(*lowering == Lowering::Reference ? "reference"
                                                      : "optimized");
}

llvm::Error LoweringKind::set(CompilerOptions &options,
                              const OptionValue &value) const {
  const auto *text = std::get_if<std::string>(&value);
  bool isKnown = text && (*text == "optimized" || *text == "reference");
  if (!isKnown && !isNothing(value))
    return expectOther("optimized or reference", describe(value));
  slot(options) = std::nullopt;
  if (text)
    slot(options) =
        *text == "reference" ? Lowering::Reference : Lowering::Optimized;
  return llvm::Error::success();
}

OptionValue BoundsKind::get(CompilerOptions &options) const {
  const std::optional<DimSizeBounds> &bounds = slot(options);
  if (!bounds)
    return {};
  std::vector<std::string> texts = bounds->format();
  texts.insert(texts.begin(), std::to_string(bounds->others));
  return texts;
}

static llvm::Error addBound(DimSizeBounds &bounds, StringRef text) {
  int64_t bound;
  if (text.getAsInteger(10, bound))
    return bounds.add(text);
  if (bound < 1 || bound > kMaxDimSizeBound)
    return expectOther("a bound within [1, " + Twine(kMaxDimSizeBound) + "]",
                       text);
  bounds.others = bound;
  bounds.isChosen = true;
  return llvm::Error::success();
}

llvm::Error BoundsKind::set(CompilerOptions &options,
                            const OptionValue &value) const {
  const auto *texts = std::get_if<std::vector<std::string>>(&value);
  if (!texts && !isNothing(value))
    return expectOther("a list of bounds", describe(value));
  DimSizeBounds bounds;
  for (const std::string &text : texts ? *texts : std::vector<std::string>())
    if (llvm::Error error = addBound(bounds, text))
      return error;
  slot(options) = texts ? std::optional(std::move(bounds)) : std::nullopt;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

std::string OptionInfo::getFlag() const {
  std::string flag = name.str();
  llvm::replace(flag, '_', '-');
  return flag;
}

bool OptionInfo::isOptional() const {
  return isNothing(get(CompilerOptions()));
}

bool OptionInfo::isGiven(const CompilerOptions &options) const {
  return options.given.count(name.str()) ||
         get(options) != get(CompilerOptions());
}

OptionValue OptionInfo::get(const CompilerOptions &options) const {
  // Slots are for setting too.
  return std::visit(
      [&](const auto &one) {
        return one.get(const_cast<CompilerOptions &>(options));
      },
      kind);
}

llvm::Error OptionInfo::set(CompilerOptions &options,
                            const OptionValue &value) const {
  return std::visit([&](const auto &one) { return one.set(options, value); },
                    kind);
}

llvm::Error OptionInfo::parse(CompilerOptions &options, StringRef text) const {
  if (llvm::Error error = parseValue(options, text))
    return error;
  options.given.insert(name.str());
  return llvm::Error::success();
}

llvm::Error OptionInfo::parseValue(CompilerOptions &options,
                                   StringRef text) const {
  if (isFlag()) {
    if (text.empty() || text == "true" || text == "1")
      return set(options, true);
    if (text == "false" || text == "0")
      return set(options, false);
    return expectOther("true or false", "'" + text + "'");
  }
  if (const auto *number = std::get_if<NumberKind>(&kind)) {
    std::optional<int64_t> value;
    int64_t plain;
    if (number->countsBytes)
      value = parseByteSize(text);
    else if (!text.getAsInteger(0, plain))
      value = plain;
    if (!value || *value < number->least || *value > number->most)
      return expectOther(number->describe(), "'" + text + "'");
    return set(options, *value);
  }
  if (!isList())
    return set(options, text.str());
  std::vector<std::string> all;
  OptionValue before = get(options);
  if (auto *texts = std::get_if<std::vector<std::string>>(&before))
    all = std::move(*texts);
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts)
    all.push_back(part.str());
  return set(options, all);
}

} // namespace flywheel
