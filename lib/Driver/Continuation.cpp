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
#include "flywheel/Driver/OptionTable.h"
#include "flywheel/Driver/StageOrder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace flywheel {
/// Returns a value as the record has it: nothing is `unit`.
static Attribute toAttribute(Builder &b, const OptionValue &value) {
  if (const bool *flag = std::get_if<bool>(&value))
    return b.getBoolAttr(*flag);
  if (const int64_t *number = std::get_if<int64_t>(&value))
    return b.getI64IntegerAttr(*number);
  if (const auto *text = std::get_if<std::string>(&value))
    return b.getStringAttr(*text);
  if (const auto *texts = std::get_if<std::vector<std::string>>(&value)) {
    SmallVector<StringRef> views(texts->begin(), texts->end());
    return b.getStrArrayAttr(views);
  }
  return b.getUnitAttr();
}

/// The inverse; none for an attribute that is not a value.
static std::optional<OptionValue> toValue(Attribute attribute) {
  if (isa<UnitAttr>(attribute))
    return OptionValue();
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return OptionValue(flag.getValue());
  if (auto number = dyn_cast<IntegerAttr>(attribute);
      number && number.getType().isSignlessInteger(64))
    return OptionValue(number.getInt());
  if (auto text = dyn_cast<StringAttr>(attribute))
    return OptionValue(text.str());
  auto array = dyn_cast<ArrayAttr>(attribute);
  if (!array || !llvm::all_of(array, llvm::IsaPred<StringAttr>))
    return std::nullopt;
  std::vector<std::string> texts;
  for (StringAttr text : array.getAsRange<StringAttr>())
    texts.push_back(text.str());
  return OptionValue(std::move(texts));
}

std::string formatSettings(const Stage &stage, const CompilerOptions &given) {
  CompilerOptions options = given;
  // The default is of this compilation.
  options.threads.given = given.threads.get();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  Builder b(&context);
  std::string text;
  llvm::raw_string_ostream os(text);
  size_t number = *findStage(stage.name);
  for (const OptionInfo &option : getOptionTable()) {
    std::optional<size_t> first = findStage(option.stage);
    if (!first || *first > number ||
        (option.isOpen && !option.isGiven(options)))
      continue;
    os << (text.empty() ? "" : ", ") << option.name << " = "
       << toAttribute(b, option.get(options));
  }
  return text;
}

/// Reads one recorded value, which a given option must not contradict.
static LogicalResult adopt(const OptionInfo &option, Attribute recorded,
                           StringRef stage, ModuleOp module,
                           CompilerOptions &options) {
  CompilerOptions other = options;
  std::optional<OptionValue> value = toValue(recorded);
  llvm::Error error = value ? option.set(other, *value)
                            : llvm::createStringError("expected a value");
  if (error)
    return module->emitError()
           << "malformed '" << train::TrainDialect::getCompilationAttrName()
           << "': unexpected value of '" << option.name << "': " << recorded
           << ": " << llvm::toString(std::move(error));
  if (option.isGiven(options) && option.get(options) != *value) {
    Builder b(module->getContext());
    InFlightDiagnostic diagnostic = module->emitError()
                                    << "the module was compiled up to stage '"
                                    << stage << "' with ";
    if (isa<UnitAttr>(recorded))
      diagnostic << "no " << option.name;
    else
      diagnostic << option.name << " " << recorded;
    return diagnostic
           << ", which " << toAttribute(b, option.get(options))
           << " contradicts: leave the option out, or compile the source again";
  }
  options = std::move(other);
  return success();
}

LogicalResult adoptOptions(ModuleOp module, DictionaryAttr record,
                           CompilerOptions &options) {
  StringRef stage = record.getAs<StringAttr>("stage").getValue();
  for (NamedAttribute recorded : record) {
    if (recorded.getName() == "stage")
      continue;
    const OptionInfo *option = findOption(recorded.getName());
    if (!option)
      return module->emitError()
             << "malformed '" << train::TrainDialect::getCompilationAttrName()
             << "': there is no option '" << recorded.getName().getValue()
             << "'";
    if (failed(adopt(*option, recorded.getValue(), stage, module, options)))
      return failure();
  }
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
  if (failed(adoptOptions(module, record, options)))
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
