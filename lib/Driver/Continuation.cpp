//===- Continuation.cpp - Going on from the output of a stage -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module that was printed after a stage contains the name of the stage and
// the options that it and previous stages were run with: later stages rely on
// them. Options that no stage has read yet are not recorded: the continuing
// compilation chooses them.
//
//===----------------------------------------------------------------------===//

#include "flywheel/Dialect/Train/Train.h"
#include "flywheel/Driver/Compiler.h"
#include "flywheel/Driver/DriverPasses.h"
#include "flywheel/Driver/StageOrder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ScopedPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace flywheel {
namespace {
/// One option that stages read.
struct Setting {
  StringLiteral key;
  /// The first stage that reads it.
  StringLiteral stage;
  /// Returns the value as an attribute; null if it is not known yet.
  Attribute (*get)(Builder &, const CompilerOptions &);
  /// Reads a recorded value; returns false for an attribute of another kind.
  bool (*set)(Attribute, CompilerOptions &);
  /// Returns true if the option was given.
  bool (*isGiven)(const CompilerOptions &);
};
} // namespace

static bool setText(Attribute value, std::string &text) {
  auto string = dyn_cast<StringAttr>(value);
  if (string)
    text = string.str();
  return static_cast<bool>(string);
}

static bool setTexts(Attribute value, std::vector<std::string> &texts) {
  auto array = dyn_cast<ArrayAttr>(value);
  if (!array || !llvm::all_of(array, llvm::IsaPred<StringAttr>))
    return false;
  texts.clear();
  for (StringAttr text : array.getAsRange<StringAttr>())
    texts.push_back(text.str());
  return true;
}

static Attribute getTexts(Builder &b, ArrayRef<std::string> texts) {
  SmallVector<StringRef> views(texts.begin(), texts.end());
  return b.getStrArrayAttr(views);
}

static bool setLowering(Attribute value, CompilerOptions &options) {
  auto name = dyn_cast<StringAttr>(value);
  if (!name || (name != "optimized" && name != "reference"))
    return false;
  options.lowering =
      name == "optimized" ? Lowering::Optimized : Lowering::Reference;
  return true;
}

/// Returns bounds: that of all dimension sizes, then those of some, `["1024",
/// "time=256"]`.
static Attribute getBounds(Builder &b, const CompilerOptions &options) {
  DimSizeBounds bounds = options.maxDimSizes.value_or(DimSizeBounds());
  std::vector<std::string> texts = bounds.format();
  texts.insert(texts.begin(), std::to_string(bounds.others));
  return getTexts(b, texts);
}

static bool setBounds(Attribute value, CompilerOptions &options) {
  std::vector<std::string> texts;
  DimSizeBounds bounds;
  if (!setTexts(value, texts) || texts.empty() ||
      StringRef(texts.front()).getAsInteger(10, bounds.others) ||
      bounds.others < 1 || bounds.others > kMaxDimSizeBound)
    return false;
  for (StringRef text : ArrayRef<std::string>(texts).drop_front())
    if (llvm::Error error = bounds.add(text)) {
      llvm::consumeError(std::move(error));
      return false;
    }
  options.maxDimSizes = std::move(bounds);
  return true;
}

/// An option that is a string, empty if it is not given.
#define FLYWHEEL_TEXT_SETTING(key, stage, member)                              \
  Setting {                                                                    \
    key, stage,                                                                \
        [](Builder &b, const CompilerOptions &options) -> Attribute {          \
          return b.getStringAttr(options.member);                              \
        },                                                                     \
        [](Attribute value, CompilerOptions &options) {                        \
          return setText(value, options.member);                               \
        },                                                                     \
        [](const CompilerOptions &options) { return !options.member.empty(); } \
  }

/// An option that is a number, 0 if it is not given.
#define FLYWHEEL_NUMBER_SETTING(key, stage, member)                            \
  Setting {                                                                    \
    key, stage,                                                                \
        [](Builder &b, const CompilerOptions &options) -> Attribute {          \
          return b.getI64IntegerAttr(options.member);                          \
        },                                                                     \
        [](Attribute value, CompilerOptions &options) {                        \
          auto number = dyn_cast<IntegerAttr>(value);                          \
          if (!number || !number.getType().isSignlessInteger(64))              \
            return false;                                                      \
          options.member = number.getInt();                                    \
          return true;                                                         \
        },                                                                     \
        [](const CompilerOptions &options) { return options.member != 0; }     \
  }

/// An option that is a list of strings.
#define FLYWHEEL_LIST_SETTING(key, stage, member)                              \
  Setting {                                                                    \
    key, stage,                                                                \
        [](Builder &b, const CompilerOptions &options) -> Attribute {          \
          return getTexts(b, options.member);                                  \
        },                                                                     \
        [](Attribute value, CompilerOptions &options) {                        \
          return setTexts(value, options.member);                              \
        },                                                                     \
        [](const CompilerOptions &options) { return !options.member.empty(); } \
  }

static constexpr StringLiteral kExpand = "flywheel-expand",
                               kAutodiff = "flywheel-autodiff",
                               kFuse = "flywheel-fuse",
                               kBufferize = "flywheel-bufferize";

static const Setting settings[] = {
    // The default is the name of a file, which may differ between stages.
    {"model", kExpand,
     [](Builder &b, const CompilerOptions &options) -> Attribute {
       return options.modelName.empty() ? Attribute()
                                        : b.getStringAttr(options.modelName);
     },
     [](Attribute value, CompilerOptions &options) {
       return setText(value, options.modelName);
     },
     [](const CompilerOptions &options) { return !options.modelName.empty(); }},
    FLYWHEEL_LIST_SETTING("entries", kExpand, entries),
    FLYWHEEL_TEXT_SETTING("freeze", kExpand, frozenCheckpoint),
    FLYWHEEL_LIST_SETTING("freeze_variables", kExpand, frozenVariables),
    FLYWHEEL_TEXT_SETTING("initial_values", kExpand, initialCheckpoint),
    FLYWHEEL_TEXT_SETTING("external_values", kExpand, externalCheckpoint),
    FLYWHEEL_NUMBER_SETTING("check_numerics", kAutodiff, checkNumerics),
    {"lowering", kFuse,
     [](Builder &b, const CompilerOptions &options) -> Attribute {
       return b.getStringAttr(
           llvm::to_string(options.lowering.value_or(Lowering::Optimized)));
     },
     setLowering,
     [](const CompilerOptions &options) {
       return options.lowering.has_value();
     }},
    FLYWHEEL_NUMBER_SETTING("winograd", kFuse, winograd),
    // The work of kernels is counted before ops are split into loops.
    FLYWHEEL_NUMBER_SETTING("profile", kFuse, profile),
    FLYWHEEL_TEXT_SETTING("target_triple", kFuse, target.triple),
    FLYWHEEL_TEXT_SETTING("cpu", kFuse, target.cpu),
    FLYWHEEL_TEXT_SETTING("features", kFuse, target.features),
    FLYWHEEL_NUMBER_SETTING("l1_bytes", kFuse, target.l1Bytes),
    FLYWHEEL_NUMBER_SETTING("l2_bytes", kFuse, target.l2Bytes),
    FLYWHEEL_NUMBER_SETTING("cores", kFuse, target.cores),
    FLYWHEEL_TEXT_SETTING("device", kFuse, target.device),
    {"max_dim_sizes", kBufferize, getBounds, setBounds,
     [](const CompilerOptions &options) {
       return options.maxDimSizes.has_value();
     }},
    {"memory_budget", kBufferize,
     [](Builder &b, const CompilerOptions &options) -> Attribute {
       return b.getI64IntegerAttr(options.memoryBudget.value_or(-1));
     },
     [](Attribute value, CompilerOptions &options) {
       auto number = dyn_cast<IntegerAttr>(value);
       if (!number || !number.getType().isSignlessInteger(64))
         return false;
       if (number.getInt() >= 0)
         options.memoryBudget = number.getInt();
       return true;
     },
     [](const CompilerOptions &options) {
       return options.memoryBudget.has_value();
     }},
    {"threads", kBufferize,
     [](Builder &b, const CompilerOptions &options) -> Attribute {
       return b.getI64IntegerAttr(options.threads.value_or(1));
     },
     [](Attribute value, CompilerOptions &options) {
       auto number = dyn_cast<IntegerAttr>(value);
       if (!number || !number.getType().isSignlessInteger(64) ||
           number.getInt() < 1 || number.getInt() > kMaxThreads)
         return false;
       options.threads = number.getInt();
       return true;
     },
     [](const CompilerOptions &options) {
       return options.threads.has_value();
     }},
    {"min_shared_work", kBufferize,
     [](Builder &b, const CompilerOptions &options) -> Attribute {
       return b.getI64IntegerAttr(options.minSharedWork);
     },
     [](Attribute value, CompilerOptions &options) {
       auto number = dyn_cast<IntegerAttr>(value);
       if (!number || !number.getType().isSignlessInteger(64) ||
           number.getInt() < 0)
         return false;
       options.minSharedWork = number.getInt();
       return true;
     },
     [](const CompilerOptions &options) {
       return options.minSharedWork != CompilerOptions().minSharedWork;
     }},
};

#undef FLYWHEEL_TEXT_SETTING
#undef FLYWHEEL_NUMBER_SETTING
#undef FLYWHEEL_LIST_SETTING

std::string formatSettings(const Stage &stage, const CompilerOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  Builder b(&context);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Setting &setting : settings) {
    // Previous stages have recorded their options.
    if (setting.stage != stage.name)
      continue;
    if (Attribute value = setting.get(b, options))
      os << (text.empty() ? "" : ", ") << setting.key << " = " << value;
  }
  return text;
}

/// Reads one recorded value, which a given option must not contradict.
static LogicalResult adopt(const Setting &setting, Attribute recorded,
                           StringRef stage, ModuleOp module,
                           CompilerOptions &options) {
  CompilerOptions other = options;
  if (!setting.set(recorded, other))
    return module->emitError()
           << "malformed '" << train::TrainDialect::getCompilationAttrName()
           << "': unexpected value of '" << setting.key << "': " << recorded;
  Builder b(module->getContext());
  Attribute given = setting.get(b, options);
  if (setting.isGiven(options) && given != recorded)
    return module->emitError()
           << "the module was compiled up to stage '" << stage << "' with "
           << setting.key << " " << recorded << ", which " << given
           << " contradicts: leave the option out, or compile the source again";
  options = std::move(other);
  return success();
}

FailureOr<size_t> resumeOptions(ModuleOp module, CompilerOptions &options) {
  Attribute attribute =
      module->getAttr(train::TrainDialect::getCompilationAttrName());
  if (!attribute)
    return size_t(0);
  auto record = dyn_cast<DictionaryAttr>(attribute);
  auto stage = record ? record.getAs<StringAttr>("stage") : StringAttr();
  std::optional<size_t> last =
      stage ? findStage(stage.getValue()) : std::nullopt;
  if (!last) {
    module->emitError() << "malformed '"
                        << train::TrainDialect::getCompilationAttrName()
                        << "': expected a dictionary with the name of a stage "
                           "as 'stage', found "
                        << attribute;
    return failure();
  }
  for (const Setting &setting : settings)
    if (Attribute recorded = record.get(setting.key))
      if (failed(adopt(setting, recorded, stage, module, options)))
        return failure();
  if (std::optional<size_t> wanted = findStage(options.stopAfter);
      wanted && *wanted < *last) {
    module->emitError() << "the module is after stage '" << stage.getValue()
                        << "', which comes later than '" << options.stopAfter
                        << "'";
    return failure();
  }
  return *last + 1;
}

} // namespace flywheel
